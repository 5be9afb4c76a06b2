import { type LeasedInput, PaymentsError, type Settlement } from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import { settleCharge } from "./settle-charge.ts";
import { settlementOf } from "./settlement.ts";
import { settledBefore } from "./unsettled.ts";
import type { HeldRequest } from "./unsettled-ports.ts";

/** The caller's leases, each read once. */
export async function findLeases(
  { ports, caller, keyHash }: Context,
  items: LeasedInput[],
): Promise<Map<string, HeldRequest>> {
  if (items.length === 0) return new Map();
  const account = caller?.account ?? (await ports.apiKeys.find(keyHash ?? ""))?.account ?? "";
  const ids = [...new Set(items.map(({ leaseId }) => leaseId))];
  const held = await ports.unsettled.listHeld(account, ids);
  return new Map(held.map((lease) => [lease.agentRequestId, lease]));
}

/** Settles a request from its lease, whatever became of the token meanwhile. What is over pays for nothing more. */
export async function settleLeased(
  context: Context,
  { leaseId, agentRequestId }: LeasedInput,
  lease: HeldRequest | undefined,
): Promise<Settlement> {
  if (!lease || lease.requests === null) throw over(leaseId);
  const { ports } = context;
  const rail = ports.rails.get(lease.scheme);
  const settled = await settleCharge(context, {
    builder: lease.builder,
    agentRequestId,
    fingerprint: ports.crypto.digest(leaseId),
    account: lease.account,
    planId: lease.planId,
    agentId: lease.agentId,
    jti: lease.jti,
    delegationId: lease.delegationId,
    amount: lease.requests > 0 ? lease.amount / BigInt(lease.requests) : 0n,
    rail,
    network: rail.network,
    isPaid: lease.isPaid,
    fromHold: true,
    leaseId,
    orderTx: null,
    // As for any settlement by the record of a reservation.
    resource: null,
  });
  if (typeof settled !== "string") return settlementOf(settled);
  if (settled === "replayed") {
    const record = await ports.activity.find(lease.builder, agentRequestId, true);
    if (record?.settlementId) return settledBefore(context, record);
  }
  if (settled !== "conflict") throw over(leaseId);
  throw new PaymentsError(
    "idempotency_conflict",
    `The request id ${JSON.stringify(agentRequestId)} was settled for another request.`,
  );
}

const over = (leaseId: string) =>
  new PaymentsError(
    "conflict",
    `The lease ${JSON.stringify(leaseId)} is over: it has expired, was released, or has paid for all its requests.`,
  );
