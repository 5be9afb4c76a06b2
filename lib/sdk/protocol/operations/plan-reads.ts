import * as z from "zod/mini";
import { Plan, PlanBalance } from "../plans/plan.ts";
import { Address } from "../primitives.ts";
import { defineCalls } from "./operation.ts";
import { byPlan, PlanRef } from "./shared.ts";

/** What a payment reads of a plan. */
export const planReads = /* @__PURE__ */ defineCalls({
  /** Gets a plan. Throws `not_found`. */
  getPlan: {
    route: "GET /protocol/plans/:planId",
    args: byPlan,
    input: PlanRef,
    output: Plan,
  },
  /** Gets an account's remaining credits on a plan (§2.13). */
  getPlanBalance: {
    route: "GET /protocol/plans/:planId/balance/:holderAddress",
    args: (planId: string, holderAddress: string) => ({ planId, holderAddress }),
    input: z.extend(PlanRef, { holderAddress: Address }),
    output: PlanBalance,
  },
});
