import type { Logger } from "../logger.ts";
import { logOnce } from "./log-once.ts";

/** Logs once per route that no caller can order its plans. */
export const logArchived = (logger: Logger, route: string, planIds: readonly string[]): void =>
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
