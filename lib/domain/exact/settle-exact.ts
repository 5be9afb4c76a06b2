import {
  type AccessToken,
  decodeAccessToken,
  EXACT,
  encodeAccessToken,
  getCryptoPriceConfig,
  type ParsedInputOf,
  type Settlement,
} from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import { least } from "../orders/money.ts";
import type { Reservation } from "../orders/order-ports.ts";
import { newOrder, payOrder } from "../orders/pay-order.ts";
import type { Cause } from "../permissions/causes.ts";
import { resourceOf } from "../permissions/perform.ts";
import type { PermissionFacts } from "../permissions/permission-facts.ts";
import type { PermissionRequest } from "../permissions/permission-request.ts";
import { settlementOf } from "../permissions/settlement.ts";
import { withReceipt } from "../permissions/sign-statement.ts";
import { type Again, untilDone } from "../permissions/until-done.ts";
import type { OrderRecord } from "../records.ts";
import { getX402AccessToken } from "../tokens/access-tokens.ts";
import { findBought, isOwn, usedBefore, verifyExactOnce } from "./exact-permission.ts";
import { type ExactFault, walletDelegation } from "./exact-ports.ts";
import type { Bought, ExactRequest } from "./read-exact.ts";
import {
  CAUSE_OF_FAULT,
  CAUSE_OF_OPENING,
  exactOf,
  isUndecided,
  noteExactRefusal,
  outcomeUnknown,
  refusedSettlement,
  unauthorized,
} from "./refusals.ts";

const MAX_REQUESTS = BigInt(Number.MAX_SAFE_INTEGER);
const NEVER = "9999-12-31T00:00:00Z";

/**
 * Captures the authorization of a delivered request and burns the credits it buys. A repeat finds what was done: the chain
 * takes an authorization once, the ledger its order once and the request once.
 */
export const settleExact = (
  context: Context,
  request: PermissionRequest,
  exact: ExactRequest,
): Promise<Settlement> => untilDone(context, () => settleOnce(context, request, exact));

async function settleOnce(
  context: Context,
  request: PermissionRequest,
  exact: ExactRequest,
): Promise<Settlement | Again> {
  const { ports } = context;
  const { payment } = exact;
  const found = await findBought(context, request, exact);
  const { payer } = payment;
  const { network } = exactOf(context);
  const refuse = (cause: Cause) => refusedSettlement(cause, { payer, network, ...request });
  if ("cause" in found) return refuse(found.cause);
  const { plan, facts, amount, agentId } = found;
  const { hold, settlement } = facts;
  const resource = await resourceOf(context, request, facts);
  const accepted = await ports.authorizations.find(payment.id);
  // Of what settle is sent, only the nonce is known to be that of the payment which verify accepted.
  const bought = { ...found, payment: accepted ?? payment };
  const answerWith = async (settlement: Settlement) =>
    withReceipt(ports, await withToken(context, bought, settlement), { resource });
  if (settlement) {
    // Anyone can read a payment that was captured: a repeat that says who sends it has to be its client's own.
    if (request.requestDigest !== undefined && !isOwn(found)) throw usedBefore(found);
    return answerWith(replay(found, settlement));
  }
  if (hold?.state === "released" || (hold && hold.jti !== payment.id)) throw usedBefore(found);
  if (!accepted || !hold) {
    const verified = await verifyExactOnce(context, { ...request, reserve: true }, exact);
    if (typeof verified === "string") return verified;
    if (!verified.isValid) return refuse(verified.cause as Cause);
  }
  const order = await payByAuthorization(context, bought);
  if ("cause" in order || order.status === "declined") {
    const cause =
      "cause" in order
        ? order.cause
        : (CAUSE_OF_FAULT[order.failureCode as ExactFault] ?? "capture_failed");
    noteExactRefusal(context, { ...found, request: { ...request, reserve: true } }, cause);
    return refuse(cause);
  }
  if (order.status !== "minted") throw outcomeUnknown();
  const builder = facts.caller.account;
  const fromHold = await ports.authorizations.fundHold(builder, request.agentRequestId, amount);
  const settlementId = ports.crypto.orderedId();
  const transaction = order.reference ?? "";
  const row = {
    builder,
    agentRequestId: request.agentRequestId,
    settlementId,
    fingerprint: payment.id,
    account: payment.payer,
    planId: plan.planId,
    agentId,
    jti: payment.id,
    delegationId: walletDelegation(payment.payer),
    amount,
    scheme: EXACT,
    network: exactOf(context).network,
    fromHold,
    orderTx: transaction,
    transaction,
    chainStatus: "included",
    mirror: false,
    // Nothing but what is paid comes so far with a key that has ended.
    keyHash: facts.caller.isUsable ? context.keyHash : null,
    resource,
  } as const;
  const settled = await ports.ledger.settle(row);
  if (settled.outcome !== "settled" && settled.outcome !== "replayed") {
    if (settled.outcome === "unauthorized") throw unauthorized();
    throw usedBefore(found);
  }
  const { remaining } = settled;
  return answerWith(settlementOf({ ...row, settlementId: settled.settlementId, payer, remaining }));
}

/**
 * The answer with a token for what is left, whatever the plan sells by now. The wallet has no account that could mint
 * another, so the token lasts as long as what was bought, and each repeat renews it.
 */
async function withToken(
  context: Context,
  { payment: { id, payer, payTo, value }, plan, facts }: Bought,
  settlement: Settlement,
): Promise<Settlement> {
  if (!settlement.success) return settlement;
  // What the wallet paid; the credits are in `extra`.
  const paid = { ...settlement, amount: value.toString() };
  // Who still has a key that has ended learns what was paid, and gets nothing to spend.
  if (!facts.caller.isUsable) return paid;
  const caller = { account: payer, isOperator: false, keyId: null } as const;
  const { planId } = plan;
  const asked = {
    // No more than a token has to have: the receipt is a header.
    accepted: { planId, amount: plan.credits.minAmount.toString(), payTo },
    delegationConfig: { delegationId: walletDelegation(payer) },
  };
  // Half of it: the token is in a header of a few kilobytes, with a signed receipt.
  const jti = context.ports.crypto.digest(`token/${id}`).slice(0, 32);
  try {
    const [balance, now, known] = await Promise.all([
      context.ports.plans.balance(planId, payer),
      context.ports.clock.now(),
      context.ports.tokens.find(jti),
    ]);
    const { available = 0n, expiresAt: end = null } = balance ?? {};
    const isTime = plan.accessLimit === "time";
    if ((end && end <= now) || (available <= 0n && !isTime) || known?.revokedAt) return paid;
    const credits = available.toString();
    const input = {
      ...asked,
      // Each request takes a credit or more, except where time was bought.
      redemptionLimit: Number(isTime ? MAX_REQUESTS : least(available, MAX_REQUESTS)),
      // What never expires ends with the wallet's delegation.
      expiration: end?.toISOString() ?? NEVER,
    } as ParsedInputOf<"getX402AccessToken">;
    const { accessToken, expiresAt } = await getX402AccessToken({ ...context, caller }, input, jti);
    const info = { planId, credits, accessToken: signedOnce(accessToken), expiresAt };
    return { ...paid, extensions: { credits: { info } } };
  } catch (cause) {
    // The request is paid: a repeat of settle makes the token.
    context.ports.log.error({ planId, cause: String(cause) }, "no token for a wallet's credits");
    return paid;
  }
}

function signedOnce(accessToken: string): string {
  const token = decodeAccessToken(accessToken) as AccessToken;
  const { signature: _, ...payload } = token.payload;
  return encodeAccessToken({ ...token, payload });
}

function replay(found: Bought, settlement: NonNullable<PermissionFacts["settlement"]>): Settlement {
  if (settlement.fingerprint !== found.payment.id) throw usedBefore(found);
  const { agentRequestId } = found.request;
  return settlementOf({ ...settlement, agentRequestId, payer: settlement.account });
}

/** Why a wallet's order could not be reserved; it has no delegation's limits and no budgets. */
const causeOf = ({ outcome }: Reservation): Cause =>
  outcome === "trial-taken" || outcome === "full" ? CAUSE_OF_OPENING[outcome] : "capture_failed";

/** The order that the authorization pays: made once, charged until its outcome is known. */
async function payByAuthorization(
  { ports, requestId }: Context,
  { payment, plan, ...found }: Bought,
): Promise<OrderRecord | { cause: Cause }> {
  let { order } = found;
  if (!order) {
    // Its plan may have another price by now.
    const accepted = await ports.authorizations.find(payment.id);
    const price = getCryptoPriceConfig(payment.value, payment.payTo, payment.asset);
    const signed = { ...plan, price, version: accepted?.planVersion ?? plan.version };
    const drafted = newOrder(ports, signed, {
      account: payment.payer,
      fingerprint: payment.id,
      delegation: null,
      now: await ports.clock.now(),
      idempotencyKey: payment.id,
      paymentMethodId: null,
      jti: null,
    });
    order = { ...drafted, scheme: EXACT };
    const note = { account: payment.payer, keyId: null, action: "order", subject: plan.planId };
    const reservation = await ports.orders.reserve(order, { ...note, requestId });
    if (reservation.outcome === "existing") order = reservation.order;
    else if (reservation.outcome !== "reserved") return { cause: causeOf(reservation) };
  }
  return isUndecided(order) ? (await payOrder(ports, order, plan, null)).order : order;
}
