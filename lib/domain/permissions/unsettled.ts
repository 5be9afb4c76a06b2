import {
  EXACT,
  type LeasedInput,
  PaymentsError,
  type RequestRecord,
  type Settlement,
  type UnsettledRequest,
} from "@turnpike/payments/protocol";
import { requireUsable } from "../accounts/stopped.ts";
import { type Caller, type Context, notFound, requireCaller } from "../context.ts";
import { openRequests } from "../figures/open-requests.ts";
import { pageAnswer } from "../page-answer.ts";
import type { Verb } from "../verb.ts";
import { type Cause, isBudgetCause, payerTextOf, reasonOf } from "./causes.ts";
import { SETTLED_BY_RECORD } from "./permission-facts.ts";
import { isRedeemer } from "./redeemer.ts";
import { type Charge, settleCharge } from "./settle-charge.ts";
import { settlementOf } from "./settlement.ts";
import type { HeldRequest } from "./unsettled-ports.ts";
import { untilDone } from "./until-done.ts";

/** Requests the caller's agents delivered and no one paid for, with what can be done about each. */
export const listUnsettledRequests: Verb<"listUnsettledRequests"> = async (context, query) => {
  const caller = requireCaller(context);
  const { account } = caller;
  const { activity, clock, unsettled } = context.ports;
  const { planId, agentId } = query;
  const filter = openRequests("builder", await clock.now());
  const page = await activity.list(account, { ...filter, planId, agentId }, query);
  const ids = page.items.map(({ agentRequestId }) => agentRequestId);
  const held = await unsettled.listHeld(account, ids);
  const byId = new Map(held.map((request) => [request.agentRequestId, request]));
  const items = page.items.map((record) =>
    withAdvice(caller, record, byId.get(record.agentRequestId)),
  );
  return pageAnswer({ ...page, items }, query);
};

function withAdvice(caller: Caller, record: RequestRecord, held?: HeldRequest): UnsettledRequest {
  if (!held || isUnfunded(held)) return { ...record, advice: "gate" };
  const isShort = held.available < (held.accessLimit === "time" ? 1n : held.amount);
  return {
    ...record,
    advice: !held.isAlive || !mayRedeem(caller, held) ? "ended" : isShort ? "order" : "settle",
    creditsDue: held.amount.toString(),
    settleBefore: held.settleBefore.toISOString(),
  };
}

/**
 * Settles a delivered request without its token, which the service does not keep: by the record of the hold that was
 * made when the token was verified, within what token and delegation allow now. Once per request, and with the same
 * answer as the gate's settle. Throws `conflict` for a request that was never held, or was written off.
 */
export const settleRequest: Verb<"settleRequest"> = async (
  context,
  { agentRequestId, maxAmount },
) => {
  const caller = requireCaller(context);
  const { account } = caller;
  const { ports } = context;
  return untilDone<Settlement>(context, async () => {
    const record = await ports.activity.find(account, agentRequestId, true);
    const held = await ports.unsettled.findHeld(account, agentRequestId);
    if (!record) throw notFound("request", agentRequestId);
    if (record.settlementId) return settledBefore(context, record);
    if (held?.requests !== null || isUnfunded(held))
      throw cannotSettle(record, "has no hold here. Settle it from the gate's journal.");
    if (record.moneyStatus === "not-charged")
      throw cannotSettle(record, "was released or written off and can't be settled.");
    const charge = chargeOf(context, held, maxAmount);
    const { amount, network } = charge.row;
    if (!mayRedeem(caller, held)) return refused(held, "not_your_plan", network);
    if (held.state !== "held") {
      if (!held.isAlive) return refused(held, "token_expired", network);
      if (held.available < (held.accessLimit === "time" ? 1n : amount))
        return refused(held, "no_credits", network);
      if (held.redemptionsLeft <= 0n) return refused(held, "redemption_limit", network);
    }
    const settled = await settleCharge(context, charge);
    if (typeof settled !== "string") return settlementOf(settled);
    return isBudgetCause(settled) ? refused(held, settled, network) : "again";
  });
};

/** A wallet's authorization buys the credits when it is settled: the record of its hold alone moves no money. */
const isUnfunded = ({ scheme, amount }: HeldRequest): boolean => scheme === EXACT && amount === 0n;

/** As for settling with the token: a removed redeemer settles nothing. */
const mayRedeem = (caller: Pick<Caller, "account" | "isOperator">, held: HeldRequest): boolean =>
  isRedeemer(caller, { ...held, owner: held.planOwner });

/** Writes off a delivered request that was not paid; credits still on hold go back to the subscriber. */
export const writeOffRequest: Verb<"writeOffRequest"> = async (
  context,
  { agentRequestId, note },
) => {
  const { account } = requireCaller(context);
  const { activity, ledger, unsettled } = context.ports;
  const record = await activity.find(account, agentRequestId, true);
  if (!record) throw notFound("request", agentRequestId);
  if (record.settlementId) throw cannotSettle(record, "is already settled.");
  await ledger.release(account, agentRequestId);
  const reason = note ? `written off: ${note}` : "written off";
  const outcome = await unsettled.writeOff(account, agentRequestId, reason);
  if (outcome === "settled") throw cannotSettle(record, "is already settled.");
  if (outcome === "unknown") throw notFound("request", agentRequestId);
  const after = await activity.find(account, agentRequestId);
  if (!after) throw notFound("request", agentRequestId);
  return after;
};

function chargeOf({ ports }: Context, held: HeldRequest, maxAmount: bigint | undefined): Charge {
  const rail = ports.rails.get(held.scheme);
  const amount = held.accessLimit === "time" ? 0n : (maxAmount ?? held.amount);
  const least = held.isFixed ? held.amount : held.minAmount;
  if (held.accessLimit !== "time" && (amount < least || amount > held.amount)) {
    const message = `This request takes ${least} to ${held.amount} credits, not ${amount}.`;
    throw new PaymentsError("invalid_amount", message, {
      details: [{ path: "maxAmount", message }],
    });
  }
  return {
    rail,
    isPaid: held.isPaid,
    row: {
      builder: held.builder,
      agentRequestId: held.agentRequestId,
      fingerprint: SETTLED_BY_RECORD,
      account: held.account,
      planId: held.planId,
      agentId: held.agentId,
      jti: held.jti,
      delegationId: held.delegationId,
      amount,
      network: rail.network,
      fromHold: held.state === "held",
      orderTx: held.orderTx,
      // The record of a reservation has no URL.
      resource: null,
    },
  };
}

/** The answer that a settled request was given. */
export async function settledBefore(
  { ports }: Context,
  { agentRequestId, settlementId = "", ...record }: RequestRecord,
): Promise<Settlement> {
  const receipt = await ports.receipts.find(settlementId);
  return settlementOf({
    agentRequestId,
    settlementId,
    payer: record.payer ?? "",
    planId: record.planId ?? "",
    network: receipt?.network ?? "",
    amount: BigInt(record.credits),
    remaining: BigInt(receipt?.remainingBalance ?? 0),
    orderTx: receipt?.orderTx ?? null,
    transaction: record.transaction,
    chainStatus: record.chainStatus,
  });
}

const refused = (
  { agentRequestId, account }: HeldRequest,
  cause: Cause,
  network: string,
): Settlement => ({
  success: false,
  errorReason: reasonOf(cause),
  errorMessage: payerTextOf(cause) ?? "",
  cause,
  payer: account,
  transaction: "",
  network,
  agentRequestId,
  error: reasonOf(cause),
});

const cannotSettle = ({ agentRequestId }: RequestRecord, why: string) =>
  new PaymentsError("conflict", `Request ${JSON.stringify(agentRequestId)} ${why}`);

/** A lease, and what tells its requests from others under the same id. */
type Lease = HeldRequest & { fingerprint: string; mayRedeem: boolean };

/** The caller's leases, each read once. */
export async function findLeases(
  { ports, caller, keyHash }: Context,
  items: LeasedInput[],
): Promise<Map<string, Lease>> {
  if (items.length === 0) return new Map();
  const key = caller ? null : await ports.apiKeys.find(keyHash ?? "");
  const asking = caller ?? requireUsable(key && { ...key, isUsable: key.isActive });
  const ids = [...new Set(items.map(({ leaseId }) => leaseId))];
  const held = await ports.unsettled.listHeld(asking.account, ids);
  return new Map(
    held.map((lease) => {
      const { agentRequestId: id } = lease;
      const fingerprint = ports.crypto.digest(id);
      return [id, { ...lease, fingerprint, mayRedeem: mayRedeem(asking, lease) }];
    }),
  );
}

/** Settles a request from its lease, whatever became of the token meanwhile. What is over pays for nothing more. */
export async function settleLeased(
  context: Context,
  { leaseId, agentRequestId }: LeasedInput,
  lease: Lease | undefined,
): Promise<Settlement> {
  if (!lease || lease.requests === null) throw over(leaseId);
  const { ports } = context;
  const rail = ports.rails.get(lease.scheme);
  const charge: Charge = {
    rail,
    isPaid: lease.isPaid,
    row: {
      builder: lease.builder,
      agentRequestId,
      fingerprint: lease.fingerprint,
      account: lease.account,
      planId: lease.planId,
      agentId: lease.agentId,
      jti: lease.jti,
      delegationId: lease.delegationId,
      amount: lease.requests > 0 ? lease.amount / BigInt(lease.requests) : 0n,
      network: rail.network,
      fromHold: true,
      leaseId,
      orderTx: null,
      // As for any settlement by the record of a reservation.
      resource: null,
    },
  };
  // A removed redeemer is answered what they settled before, and settles nothing more.
  const settled = lease.mayRedeem ? await settleCharge(context, charge) : "replayed";
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
    `The lease ${JSON.stringify(leaseId)} is over: it has expired, was released, has paid for all its requests, or your account can no longer redeem its plan.`,
  );
