import type { Role } from "@turnpike/payments/protocol";
import type { RequestFilter } from "./activity-ports.ts";

/** As long as gates' reports are kept. */
const KEPT_MS = 30 * 86_400_000;

/** Requests of a side that ended without a confirmed payment: what Home counts and Reconcile lists. */
export const openRequests = (role: Role, now: Date): RequestFilter & { since: Date } => ({
  role,
  moneyStatus: ["delivered-unsettled", "unknown"],
  hasEnded: true,
  since: new Date(now.getTime() - KEPT_MS),
});
