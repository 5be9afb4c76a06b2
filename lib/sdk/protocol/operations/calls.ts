import { delegation } from "./delegations.ts";
import { orders } from "./orders.ts";
import { facilitator } from "./permissions.ts";
import { planReads } from "./plan-reads.ts";
import { requestReports } from "./request-reports.ts";
import { tokens, x402 } from "./tokens.ts";

/** How the operations are called that every bundle of the client carries; it loads the others at their first call. */
export const calls = {
  ...planReads,
  ...orders,
  ...x402,
  ...tokens,
  ...facilitator,
  ...delegation,
  ...requestReports,
};
