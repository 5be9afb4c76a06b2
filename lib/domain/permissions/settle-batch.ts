import { type ParsedInputOf, PaymentsError, type Settlement } from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import { settleCharge } from "./settle-charge.ts";
import { settlePermissions } from "./settle-permissions.ts";
import { settlementOf } from "./settlement.ts";
import { settledBefore } from "./unsettled.ts";
import type { HeldRequest } from "./unsettled-ports.ts";

type Input = ParsedInputOf<"settleBatch">;
type Leased = Extract<Input["items"][number], { leaseId: string }>;

/**
 * Settles many requests, each as a single settle of it would be, once per request id: the ledger writes those that are
 * under way together in few transactions. Answers in their order; what would be thrown for one is its failure, with the
 * error's code as its reason, and concerns no other.
 */
export async function settleBatch(
  context: Context,
  { items }: Input,
): Promise<{ items: Settlement[] }> {
  const leased = items.filter((item) => "leaseId" in item);
  const leases = leased.length > 0 ? await findLeases(context, leased) : new Map();
  const settle = (item: Input["items"][number]) =>
    "leaseId" in item
      ? settleLeased(context, item, leases.get(item.leaseId))
      : settlePermissions(context, item);
  return { items: await Promise.all(items.map((item) => settle(item).catch(asFailure(item)))) };
}

/** The caller's leases, each read once. */
async function findLeases({ ports, caller, keyHash }: Context, items: Leased[]) {
  const account = caller?.account ?? (await ports.apiKeys.find(keyHash ?? ""))?.account ?? "";
  const ids = [...new Set(items.map(({ leaseId }) => leaseId))];
  const held = await ports.unsettled.listHeld(account, ids);
  return new Map(held.map((lease) => [lease.agentRequestId, lease]));
}

/** Settles a request from its lease, whatever became of the token meanwhile. What is over pays for nothing more. */
async function settleLeased(
  context: Context,
  { leaseId, agentRequestId }: Leased,
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

const asFailure =
  (item: Input["items"][number]) =>
  (cause: unknown): Settlement => {
    if (!PaymentsError.is(cause)) throw cause;
    const { code, message } = cause;
    const id = "agentRequestId" in item ? item.agentRequestId : undefined;
    return {
      success: false,
      errorReason: code,
      errorMessage: message,
      transaction: "",
      network: "",
      ...(id && { agentRequestId: id }),
      error: code,
    };
  };
