import type { MoneyStatus } from "@turnpike/payments/protocol";
import type { RequestSighting } from "./activity-ports.ts";

/** What a gate reports of an attempt that was charged, or delivered: `settled` is kept as `unknown`. */
export const CHARGED: readonly MoneyStatus[] = ["settled", "delivered-unsettled", "unknown"];

/**
 * Two reports of one request. A client may repeat a request under its id, and the gate reports every attempt: what it was
 * answered when it was charged is kept, whichever comes first. Otherwise later members win.
 */
export function mergeAttempts(
  earlier: RequestSighting | undefined,
  later: RequestSighting,
): RequestSighting {
  if (!earlier) return later;
  const [wasCharged, isCharged] = [earlier, later].map(({ moneyStatus }) =>
    CHARGED.includes(moneyStatus),
  );
  if (wasCharged === isCharged) return { ...earlier, ...later };
  return wasCharged ? earlier : later;
}
