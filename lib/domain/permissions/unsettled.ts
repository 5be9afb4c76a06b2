import {
  type ParsedInputOf,
  PaymentsError,
  type RequestRecord,
  type Settlement,
  type UnsettledRequest,
} from "@turnpike/payments/protocol";
import { type Context, notFound, requireCaller } from "../context.ts";
import type { SettleRow } from "../ledger-rows.ts";
import { pageAnswer } from "../page-answer.ts";
import { mirroringOf } from "../rails/rail.ts";
import { invalidAmount } from "./permission-request.ts";
import { SETTLED_BY_RECORD, succeeded } from "./settle-permissions.ts";
import type { HeldRequest } from "./unsettled-ports.ts";
import { REASON_TEXT } from "./verify-permissions.ts";

/** Requests the caller's agents delivered and no one paid for, with what can be done about each. */
export async function listUnsettledRequests(
  context: Context,
  query: ParsedInputOf<"listUnsettledRequests">,
) {
  const { account } = requireCaller(context);
  const { activity, unsettled } = context.ports;
  const { planId, agentId } = query;
  const filter = {
    role: "builder" as const,
    planId,
    agentId,
    moneyStatus: ["delivered-unsettled", "unknown"] as const,
    isSettledFor: true,
  };
  const page = await activity.list(account, filter, query);
  const ids = page.items.map(({ agentRequestId }) => agentRequestId);
  const held = await unsettled.listHeld(account, ids);
  const byId = new Map(held.map((request) => [request.agentRequestId, request]));
  const items = page.items.map((record) => withAdvice(record, byId.get(record.agentRequestId)));
  return pageAnswer({ ...page, items }, query);
}

function withAdvice(record: RequestRecord, held: HeldRequest | undefined): UnsettledRequest {
  if (!held) return { ...record, advice: "gate" };
  const isShort = held.available < (held.accessLimit === "time" ? 1n : held.amount);
  return {
    ...record,
    advice: !held.isAlive ? "ended" : isShort ? "order" : "settle",
    creditsDue: held.amount.toString(),
    settleBefore: held.settleBefore.toISOString(),
  };
}

/**
 * Settles a delivered request without its token, which the service does not keep: by the record of the hold that was
 * made when the token was verified, within what token and delegation allow now. Once per request, and with the same
 * answer as the gate's settle. Throws `conflict` for a request that was never held, or was written off.
 */
export async function settleRequest(
  context: Context,
  { agentRequestId, maxAmount }: ParsedInputOf<"settleRequest">,
): Promise<Settlement> {
  const { account } = requireCaller(context);
  const { ports } = context;
  for (let attempt = 1; attempt <= 3; attempt++) {
    const record = await ports.activity.find(account, agentRequestId, true);
    const held = await ports.unsettled.findHeld(account, agentRequestId);
    if (!record) throw notFound("request", agentRequestId);
    if (record.settlementId) return settledBefore(context, record);
    if (!held) throw cannotSettle(record, "has no hold here. Settle it from the gate's journal.");
    if (record.moneyStatus === "not-charged")
      throw cannotSettle(record, "was written off and can't be settled.");
    const rail = ports.rails.get(held.scheme);
    const { network } = rail;
    if (held.state !== "held" && !held.isAlive) return refused(held, "expired_token", network);
    const row = settleRow(context, held, maxAmount);
    const outcome = await ports.ledger.settle(row);
    if (outcome.outcome === "settled" || outcome.outcome === "replayed") {
      return succeeded({
        agentRequestId,
        payer: held.account,
        planId: held.planId,
        network,
        amount: row.amount,
        remaining: outcome.remaining,
        settlementId: outcome.settlementId,
        orderTx: null,
        transaction: rail.receiptId(outcome.settlementId),
        chainStatus: row.chainStatus,
      });
    }
    const isShort = outcome.outcome === "insufficient" || outcome.outcome === "limit";
    if (isShort) return refused(held, "insufficient_balance", network);
  }
  throw new PaymentsError("unavailable", "The request keeps changing; ask again.", {
    retryAfterSecs: 1,
  });
}

/** Writes off a delivered request that was not paid; credits still on hold go back to the subscriber. */
export async function writeOffRequest(
  context: Context,
  { agentRequestId, note }: ParsedInputOf<"writeOffRequest">,
): Promise<RequestRecord> {
  const { account } = requireCaller(context);
  const { activity, ledger, unsettled } = context.ports;
  const record = await activity.find(account, agentRequestId, true);
  if (!record) throw notFound("request", agentRequestId);
  if (record.settlementId) throw cannotSettle(record, "is already settled.");
  await ledger.release(account, agentRequestId);
  const reason = note ? `written off: ${note}` : "written off";
  if (!(await unsettled.writeOff(account, agentRequestId, reason))) {
    throw notFound("request", agentRequestId);
  }
  const after = await activity.find(account, agentRequestId);
  if (!after) throw notFound("request", agentRequestId);
  return after;
}

function settleRow(context: Context, held: HeldRequest, maxAmount: bigint | undefined): SettleRow {
  const { crypto, rails } = context.ports;
  const rail = rails.get(held.scheme);
  const settlementId = crypto.randomId();
  const amount = held.accessLimit === "time" ? 0n : (maxAmount ?? held.amount);
  const isFixed = held.isFixed && amount !== 0n;
  const least = isFixed ? held.amount : held.minAmount;
  if (held.accessLimit !== "time" && (amount < least || amount > held.amount)) {
    throw invalidAmount(`This request takes ${least} to ${held.amount} credits, not ${amount}.`);
  }
  return {
    builder: held.builder,
    agentRequestId: held.agentRequestId,
    settlementId,
    fingerprint: SETTLED_BY_RECORD,
    account: held.account,
    planId: held.planId,
    agentId: held.agentId,
    jti: held.jti,
    delegationId: held.delegationId,
    amount,
    scheme: rail.scheme,
    network: rail.network,
    fromHold: held.state === "held",
    orderTx: null,
    transaction: rail.receiptId(settlementId),
    ...mirroringOf(rail, { amount, isPaid: held.isPaid }),
  };
}

async function settledBefore(
  { ports }: Context,
  { agentRequestId, settlementId = "", ...record }: RequestRecord,
): Promise<Settlement> {
  const receipt = await ports.receipts.find(settlementId);
  return succeeded({
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
  reason: "expired_token" | "insufficient_balance",
  network: string,
): Settlement => ({
  success: false,
  errorReason: reason,
  errorMessage: REASON_TEXT[reason],
  payer: account,
  transaction: "",
  network,
  agentRequestId,
  error: reason,
});

const cannotSettle = ({ agentRequestId }: RequestRecord, why: string) =>
  new PaymentsError("conflict", `Request ${JSON.stringify(agentRequestId)} ${why}`);
