import {
  EXACT,
  type ParsedInputOf,
  PaymentsError,
  planIdOf,
  readNetwork,
  type Settlement,
  totalOf,
  type Verification,
} from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import { newOrder, payOrder } from "../orders/pay-order.ts";
import { amountToTake } from "../permissions/amount-to-take.ts";
import type { Cause } from "../permissions/causes.ts";
import { LEASE_SECS } from "../permissions/lease.ts";
import type { PermissionFacts, ReadFacts } from "../permissions/permission-facts.ts";
import type { PermissionRequest } from "../permissions/permission-request.ts";
import { isRedeemer } from "../permissions/redeemer.ts";
import { settlementOf } from "../permissions/settlement.ts";
import type { OrderRecord, PlanRecord } from "../records.ts";
import { getX402AccessToken } from "../tokens/access-tokens.ts";
import {
  type ExactChain,
  type ExactFault,
  type ExactPayment,
  walletDelegation,
} from "./exact-ports.ts";
import type { ExactRequest } from "./read-exact.ts";
import {
  CAUSE_OF_FAULT,
  exactOf,
  readExactFacts,
  refusalOf,
  refusedSettlement,
  unauthorized,
} from "./refusals.ts";

/** A payment that may buy a plan for its request. */
type Bought = {
  request: PermissionRequest;
  payment: ExactPayment;
  plan: PlanRecord;
  facts: ReadFacts;
  /** Credits the request takes of those bought. */
  amount: bigint;
};

type Refused = { cause: Cause };

/**
 * Checks an authorization for a request: signature, network, token, recipient, amount, time, nonce and funds. With `reserve`
 * the request has it to itself, and its payer's other requests find what it will take gone. Nothing is captured.
 */
export async function verifyExact(
  context: Context,
  request: PermissionRequest,
  exact: ExactRequest,
): Promise<Verification> {
  const { payment } = exact;
  const { payer } = payment;
  const found = await findBought(context, request, exact);
  if ("cause" in found) return { isValid: false, ...refusalOf(found.cause, payer) };
  const { plan, facts, amount } = found;
  const { agentRequestId } = request;
  const answer = {
    isValid: true,
    payer,
    agentRequestId,
    scheme: EXACT,
    network: exactOf(context).network,
    planId: plan.planId,
    credits: amount.toString(),
    balance: (facts.balance?.available ?? 0n).toString(),
    subscriberAddress: payer,
  } as const;
  const { settlement, hold } = facts;
  if (settlement || (hold && hold.state !== "released")) {
    const isOwn = hold?.state === "held" && hold.jti === payment.id;
    if (!isOwn || !request.reserve) throw usedBefore(agentRequestId);
    return { ...answer, isRepeat: true, reservedUntil: hold.expiresAt.toISOString() };
  }
  const { fault, balance, block } = await exactOf(context).check(payment);
  if (fault) return { isValid: false, ...refusalOf(CAUSE_OF_FAULT[fault], payer) };
  if (!request.reserve) return answer;
  const reserved = await reserve(context, found, { balance, block });
  if ("cause" in reserved) return { isValid: false, ...refusalOf(reserved.cause, payer) };
  return { ...answer, ...reserved };
}

async function reserve(
  { ports }: Context,
  { request, payment, plan, facts }: Bought,
  { balance, block }: { balance: bigint; block: bigint },
): Promise<Refused | { reservedUntil: string; isRepeat?: true }> {
  const builder = facts.caller.account;
  const { planId, version: planVersion } = plan;
  const accepted = { ...payment, builder, planId, planVersion, sinceBlock: block };
  const parts = { balance, leaseSecs: LEASE_SECS };
  if (!(await ports.authorizations.open(accepted, parts))) return { cause: "wallet_funds" };
  const held = await ports.ledger.hold({
    builder,
    agentRequestId: request.agentRequestId,
    account: payment.payer,
    planId,
    agentId: null,
    jti: payment.id,
    // The credits are bought once the work is done; until then the hold has none.
    amount: 0n,
    planVersion,
    scheme: EXACT,
    ttlMs: LEASE_SECS * 1000,
  });
  if (held.outcome === "held") return { reservedUntil: held.expiresAt.toISOString() };
  if (held.outcome === "existing")
    return { isRepeat: true, reservedUntil: new Date(0).toISOString() };
  if (held.outcome === "settled") throw usedBefore(request.agentRequestId);
  return { cause: "authorization_used" };
}

/**
 * Captures the authorization of a delivered request and burns the credits it buys. A repeat finds what was done: the chain
 * takes an authorization once, the ledger its order once and the request once.
 */
export async function settleExact(
  context: Context,
  request: PermissionRequest,
  exact: ExactRequest,
): Promise<Settlement> {
  const { ports } = context;
  const { payment } = exact;
  const found = await findBought(context, request, exact);
  const { payer } = payment;
  const { network } = exactOf(context);
  const refuse = (cause: Cause) => refusedSettlement(cause, { payer, network, ...request });
  if ("cause" in found) return refuse(found.cause);
  const { plan, facts, amount } = found;
  const { hold, settlement } = facts;
  if (settlement) return withToken(context, found, replay(request, settlement, payment));
  if (hold?.state === "released" || (hold && hold.jti !== payment.id))
    throw usedBefore(request.agentRequestId);
  const accepted = await ports.authorizations.find(payment.id);
  if (!accepted) {
    const verified = await verifyExact(context, { ...request, reserve: true }, exact);
    if (!verified.isValid) return refuse(verified.cause as Cause);
  }
  const order = await payByAuthorization(context, found);
  if (order.status === "declined")
    return refuse(CAUSE_OF_FAULT[order.failureCode as ExactFault] ?? "capture_failed");
  if (order.status !== "minted") {
    throw new PaymentsError("outcome_unknown", "The capture's outcome is not known yet.", {
      retryAfterSecs: 2,
    });
  }
  const builder = facts.caller.account;
  const fromHold = await ports.authorizations.fundHold(builder, request.agentRequestId, amount);
  const settlementId = ports.crypto.randomId();
  const transaction = order.reference ?? "";
  const row = {
    builder,
    agentRequestId: request.agentRequestId,
    settlementId,
    fingerprint: payment.id,
    account: payment.payer,
    planId: plan.planId,
    agentId: null,
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
    keyHash: context.keyHash,
  } as const;
  const settled = await ports.ledger.settle(row);
  if (settled.outcome !== "settled" && settled.outcome !== "replayed") {
    if (settled.outcome === "unauthorized") throw unauthorized();
    throw usedBefore(request.agentRequestId);
  }
  const { remaining } = settled;
  const answer = settlementOf({ ...row, settlementId: settled.settlementId, payer, remaining });
  return withToken(context, found, answer);
}

/** The answer with a token for the credits that are left, where the plan grants more than one request takes. */
async function withToken(
  context: Context,
  { payment: { payer }, plan, amount }: Bought,
  settlement: Settlement,
): Promise<Settlement> {
  if (!settlement.success || BigInt(plan.credits.amount) <= amount) return settlement;
  const caller = { account: payer, isOperator: false, keyId: null } as const;
  const { planId } = plan;
  const { remainingBalance: credits } = settlement;
  const asked = {
    accepted: { planId },
    delegationConfig: { delegationId: walletDelegation(payer) },
  };
  try {
    const { accessToken, expiresAt } = await getX402AccessToken(
      { ...context, caller },
      asked as ParsedInputOf<"getX402AccessToken">,
    );
    const info = { planId, credits, accessToken, expiresAt };
    return { ...settlement, extensions: { credits: { info } } };
  } catch (cause) {
    // The request is paid: a repeat of settle makes the token.
    context.ports.log.error({ planId, cause: String(cause) }, "no token for a wallet's credits");
    return settlement;
  }
}

function replay(
  { agentRequestId }: PermissionRequest,
  settlement: NonNullable<PermissionFacts["settlement"]>,
  payment: ExactPayment,
): Settlement {
  if (settlement.fingerprint !== payment.id) throw usedBefore(agentRequestId);
  return settlementOf({ ...settlement, agentRequestId, payer: settlement.account });
}

/** The order that the authorization pays: made once, charged until its outcome is known. */
async function payByAuthorization(
  { ports, requestId }: Context,
  { payment, plan }: Bought,
): Promise<OrderRecord> {
  const accepted = await ports.authorizations.find(payment.id);
  const find = () => ports.orders.findByKey(payment.payer, payment.id);
  let order = await find();
  if (!order) {
    const drafted = newOrder(ports, plan, {
      account: payment.payer,
      fingerprint: payment.id,
      delegation: null,
      now: await ports.clock.now(),
      idempotencyKey: payment.id,
      paymentMethodId: null,
      jti: null,
    });
    order = {
      ...drafted,
      scheme: EXACT,
      price: payment.value,
      planVersion: accepted?.planVersion ?? plan.version,
    };
    const note = { account: payment.payer, keyId: null, action: "order", subject: plan.planId };
    const reservation = await ports.orders.reserve(order, { ...note, requestId });
    if (reservation.outcome === "existing") order = reservation.order;
    else if (reservation.outcome !== "reserved") return { ...order, status: "declined" };
  }
  const isOpen = order.status === "reserved" || order.status === "charging";
  return isOpen ? (await payOrder(ports, order, plan, null)).order : order;
}

/** Who asks for which plan, and whether the authorization is what its offer asks for; no chain is asked. */
async function findBought(
  context: Context,
  request: PermissionRequest,
  { payment, offer }: ExactRequest,
): Promise<Bought | Refused> {
  const { ports } = context;
  const planId = (offer && planIdOf(offer)) ?? null;
  const facts = await readExactFacts(context, request, { payment, offer });
  const plan = planId === null ? null : await ports.plans.find(planId);
  if (!offer || !plan || !facts.plan) return { cause: "plan_not_offered" };
  if (!isRedeemer(facts.caller, facts.plan)) return { cause: "not_your_plan" };
  if (!isAsOffered(exactOf(context), { payment, plan, network: offer.network }))
    return { cause: "other_payment" };
  const known = await ports.accounts.find(payment.payer);
  if (known && known.owner !== known.address) return { cause: "account_wallet" };
  const amount = amountToTake(facts.plan, request.maxAmount, null);
  if (typeof amount !== "bigint") throw new PaymentsError("invalid_amount", amount.message);
  return { request, payment, plan, facts, amount };
}

/** A plan's own price decides, never what the offer or the payment says it is. */
function isAsOffered(
  { network }: ExactChain,
  {
    payment,
    plan: { price },
    network: offered = "",
  }: { payment: ExactPayment; plan: PlanRecord; network: string | undefined },
): boolean {
  const isSame = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase();
  return (
    price.isCrypto &&
    price.receivers.length === 1 &&
    readNetwork(offered) === network &&
    isSame(payment.asset, price.tokenAddress) &&
    isSame(payment.payTo, price.receivers[0]) &&
    payment.value === totalOf(price)
  );
}

const usedBefore = (agentRequestId: string) =>
  new PaymentsError(
    "idempotency_conflict",
    `The request id ${JSON.stringify(agentRequestId)} was used for another request.`,
  );
