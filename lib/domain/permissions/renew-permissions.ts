import type { ParsedInputOf } from "@turnpike/payments/protocol";
import { type Context, requireCaller } from "../context.ts";
import { LEASE_CAP_SECS, LEASE_SECS } from "./lease.ts";

/**
 * Renews the reservations of the caller's requests that are still under way. A revoked or expired token changes nothing:
 * the work began while it was valid.
 */
export async function renewPermissions(
  context: Context,
  { agentRequestIds }: ParsedInputOf<"renewPermissions">,
) {
  const { account } = requireCaller(context);
  const lease = { leaseSecs: LEASE_SECS, capSecs: LEASE_CAP_SECS };
  const holds = await context.ports.ledger.renew(account, agentRequestIds, lease);
  const items = holds.map(({ agentRequestId, state, expiresAt }) => ({
    agentRequestId,
    state,
    ...(expiresAt && { reservedUntil: expiresAt.toISOString() }),
  }));
  return { items };
}
