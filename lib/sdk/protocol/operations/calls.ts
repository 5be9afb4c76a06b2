import { facilitator } from "./permissions.ts";
import { planReads } from "./plan-reads.ts";
import { requestReports } from "./request-reports.ts";

/** How the operations are called that every bundle of the client carries; it loads the others at their first call. */
export const calls = {
  ...planReads,
  ...facilitator,
  ...requestReports,
};
