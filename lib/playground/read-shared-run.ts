import type { SharedRun } from "@/lib/console/shared-run.ts";
import { OUTCOMES, type OutcomeCode } from "./outcomes.ts";
import type { Run } from "./run.ts";

/** A shared run as the playground shows it. Outcomes this version does not know are dropped. */
export function readSharedRun({ input, steps, requirement, ...rest }: SharedRun): Run {
  const isKnown = (outcome: string | null): outcome is OutcomeCode =>
    outcome !== null && Object.hasOwn(OUTCOMES, outcome);
  return {
    ...rest,
    // A stranger's run must not choose which plan a reader's code pays.
    planId: null,
    input: { ...input, token: { kind: "mint" } },
    requirement: requirement as Run["requirement"],
    steps: steps.map(({ outcome, ...step }) => ({
      ...step,
      outcome: isKnown(outcome) ? outcome : null,
    })),
  };
}
