import { EXACT_FAULTS, type Fault } from "@/lib/playground/exact-faults.ts";
import { FAULTS } from "@/lib/playground/faults.ts";
import { REHEARSAL } from "@/lib/playground/rehearsal.ts";
import type { LabTarget } from "./use-fault-lab.ts";

/** The faults of each target, in their order. */
export const FAULTS_OF: Record<LabTarget, readonly Fault[]> = {
  crypto: FAULTS,
  card: FAULTS,
  exact: EXACT_FAULTS,
  own: REHEARSAL,
};
