import type { Plan } from "../../protocol/plans/plan.ts";
import type { Logger } from "../logger.ts";
import { logOnce } from "./log-once.ts";

/** Logs once per route that no caller can order its plans. */
export function logArchived(logger: Logger, route: string, plans: readonly Plan[]): void {
  const planIds = plans.map(({ planId }) => planId);
  logOnce(
    logger,
    `archived ${route} ${planIds}`,
    "A route offers only archived plans, which can’t be ordered.",
    {
      route,
      planIds,
      reason: "Only callers that have credits of them can pay. Restore a plan, or offer another.",
    },
  );
}

/** Logs once per route and plan that a call costs fewer credits than the route says. */
export function logCapped(
  logger: Logger,
  route: string,
  { planId, registry: { credits: range } }: Plan,
  credits: bigint,
): void {
  logOnce(
    logger,
    `capped ${route} ${planId}`,
    "A route’s `credits` exceed its plan’s maximum for one call, which is charged instead.",
    {
      route,
      planId,
      credits: String(credits),
      charged: String(range.maxAmount),
      reason: "Sell a plan that allows more credits for one call, or lower `credits`.",
    },
  );
}
