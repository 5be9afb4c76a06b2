import type { PlanVersion } from "@/lib/domain/chain-ports.ts";
import { toOnChainPlan } from "./chain-plan.ts";
import { type Operator, registerPlanOnChain, registerPlanVersionOnChain } from "./operator.ts";

/** Registers plans with the contract before their first order. */
export type PlanRegistry = {
  /** Registers a version, and its plan first, if the chain lacks them. Returns the reason of a refusal, or null. */
  ensure: (plan: PlanVersion) => Promise<string | null>;
};

/** Makes a {@link PlanRegistry}. `findVersion` reads the terms a version was sold under. */
export function createPlanRegistry(
  operator: Operator,
  findVersion: (planId: string, version: number) => Promise<PlanVersion>,
): PlanRegistry {
  const known = new Set<bigint>();

  async function ensure(plan: PlanVersion): Promise<string | null> {
    const terms = toOnChainPlan(plan);
    if (known.has(terms.planId)) return null;
    const isFirst = plan.version === 1;
    const refusal = isFirst ? null : await ensure(await findVersion(plan.planId, 1));
    if (refusal !== null) return refusal;
    const outcome = isFirst
      ? await registerPlanOnChain(operator, terms)
      : await registerPlanVersionOnChain(operator, BigInt(plan.planId), terms);
    if (outcome.status === "refused") return outcome.detail;
    known.add(terms.planId);
    return null;
  }
  return { ensure };
}
