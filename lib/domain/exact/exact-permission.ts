import {
  EXACT,
  PaymentsError,
  readNetwork,
  totalOf,
  type Verification,
} from "@turnpike/payments/protocol";
import { requireUsable } from "../accounts/stopped.ts";
import type { Context } from "../context.ts";
import { payOrder, requireSales } from "../orders/pay-order.ts";
import { amountToTake } from "../permissions/amount-to-take.ts";
import type { Cause } from "../permissions/causes.ts";
import { LEASE_SECS } from "../permissions/lease.ts";
import { rejected } from "../permissions/perform.ts";
import { liveCredits, type ReadFacts, usedText } from "../permissions/permission-facts.ts";
import type { PermissionRequest } from "../permissions/permission-request.ts";
import { isRedeemer } from "../permissions/redeemer.ts";
import { type Again, untilDone } from "../permissions/until-done.ts";
import type { PlanRecord } from "../records.ts";
import type { CheckedPayment, ExactChain, ExactPayment } from "./exact-ports.ts";
import type { Bought, ExactRequest } from "./read-exact.ts";
import {
  CAUSE_OF_FAULT,
  CAUSE_OF_OPENING,
  exactOf,
  exactSubject,
  isUndecided,
  noteExactRefusal,
  outcomeUnknown,
  readExactFacts,
  refusalOf,
  takingExactOf,
} from "./refusals.ts";

type Refused = { cause: Cause };

/**
 * Checks an authorization for a request: signature, network, token, recipient, amount, time, nonce and funds. With `reserve`
 * the request has it to itself, and its payer's other requests find what it will take gone. Nothing is captured.
 */
export const verifyExact = (
  context: Context,
  request: PermissionRequest,
  exact: ExactRequest,
): Promise<Verification> =>
  untilDone(context, () => verifyExactOnce(context, request, exact, { isBeforeWork: true }));

/** The same, or that what it read is out of date. At settle the work may be done. */
export async function verifyExactOnce(
  context: Context,
  request: PermissionRequest,
  exact: ExactRequest,
  { isBeforeWork } = { isBeforeWork: false },
): Promise<Verification | Again> {
  const { payment } = exact;
  const { payer } = payment;
  const found = await findBought(context, request, exact);
  if ("cause" in found) return { isValid: false, ...refusalOf(found.cause, payer) };
  const { plan, facts, amount, agentId } = found;
  const refuse = (cause: Cause): Verification => {
    noteExactRefusal(context, found, cause);
    return { isValid: false, ...refusalOf(cause, payer) };
  };
  const { agentRequestId } = request;
  const answer = {
    isValid: true,
    payer,
    agentRequestId,
    scheme: EXACT,
    network: exactOf(context).network,
    planId: plan.planId,
    ...(agentId && { agentId }),
    credits: amount.toString(),
    balance: (facts.balance?.available ?? 0n).toString(),
    subscriberAddress: payer,
  } as const;
  const { hold } = facts;
  if (isTaken(found)) {
    if (hold?.state !== "held" || !isOwn(found) || !request.reserve) throw usedBefore(found);
    const reservedUntil = hold.expiresAt.toISOString();
    return { ...answer, ...(!hold.isSameAttempt && { isRepeat: true }), reservedUntil };
  }
  const ground =
    (await findBoughtBefore(context, found)) ?? (await checkSale(context, found, exact));
  if (ground === "again") return ground;
  if (ground !== "bought" && "cause" in ground) return refuse(ground.cause);
  if (!request.reserve) return answer;
  const reserved =
    ground === "bought"
      ? await holdFor(context, found)
      : await reserve(context, found, { ...ground, runsCode: isBeforeWork && ground.runsCode });
  if (typeof reserved === "string") return reserved;
  if ("cause" in reserved) return refuse(reserved.cause);
  return { ...answer, ...reserved };
}

type OnChain = Pick<CheckedPayment, "balance" | "block" | "runsCode">;

/** What the chain has of a payment that can be captured for its request now, or why the plan is not sold for it. */
async function checkSale(
  context: Context,
  found: Bought,
  exact: ExactRequest,
): Promise<OnChain | Refused | "again"> {
  const { fault, balance, block, runsCode } = await takingExactOf(context).check(exact.payment);
  // Another replica can have captured it for this request meanwhile.
  if (fault === "authorization_used") {
    const now = await findBought(context, found.request, exact);
    if ("facts" in now && (isTaken(now) || now.order)) return "again";
  }
  const cause = fault ? CAUSE_OF_FAULT[fault] : await findSaleFault(context, found);
  return cause ? { cause } : { balance, block, runsCode };
}

type Known = Pick<Bought, "facts" | "payment">;

/** Whether the request is settled or reserved. Its own reservation that expired was left by a gate that died. */
function isTaken(known: Known): boolean {
  const { settlement, hold } = known.facts;
  if (settlement) return true;
  const isOver = hold?.state === "released" || (hold?.state === "expired" && isOwn(known));
  return hold !== null && !isOver;
}

/** Whether the request was reserved with this payment before, by the same client for the same call. */
export const isOwn = ({ facts: { hold }, payment }: Known): boolean =>
  hold?.jti === payment.id && hold.isSameCall;

/**
 * Whether the authorization has paid for this call, or may have: it was released, and its answer withheld, while the outcome of its
 * capture was not known. Null before its capture was tried. After that, anyone can have read the payment, and only what its client
 * alone can repeat says who sends it; and no other payment is asked for before the outcome is known: `outcome_unknown` is thrown.
 */
async function findBoughtBefore(
  context: Context,
  found: Bought,
): Promise<"bought" | "again" | Refused | null> {
  const { request, payment, plan, facts, amount, order } = found;
  if (!order) return null;
  const isProven = request.requestDigest !== undefined && isOwn(found);
  if (!isUndecided(order)) {
    const isLeft = order.status === "minted" && liveCredits(facts.balance) >= amount;
    return isProven && isLeft ? "bought" : { cause: "authorization_used" };
  }
  if (!isProven) throw outcomeUnknown();
  const { fault } = await takingExactOf(context).check(payment);
  if (fault === null) return "bought";
  if (fault !== "authorization_used") throw outcomeUnknown();
  const paid = await payOrder(context.ports, order, plan, null);
  if (isUndecided(paid.order)) throw outcomeUnknown();
  return "again";
}

/** Why the plan is not sold to the payer. What their requests under way buy is counted when the authorization is written. */
async function findSaleFault(
  { ports }: Context,
  { payment, plan, amount }: Bought,
): Promise<Cause | null> {
  const isOthersDraft = plan.state === "draft" && plan.owner !== payment.payer;
  if (plan.archivedAt || isOthersDraft) return "plan_archived";
  // A wallet has no key to bind a token to, so what the request leaves could not be used.
  if (plan.credits.holderRequired && BigInt(plan.credits.amount) > amount) return "holder_required";
  if (!plan.isTrial) return null;
  const balance = await ports.plans.balance(plan.planId, payment.payer);
  return balance && balance.orders > 0 ? "trial_used_up" : null;
}

type Reserved = Refused | { reservedUntil: string } | Again;

/** Throws `unavailable` while sales are stopped. */
async function reserve(
  context: Context,
  found: Bought,
  { balance, block, runsCode }: OnChain,
): Promise<Reserved> {
  const { ports } = context;
  const { payment, plan, facts } = found;
  requireSales(ports, plan.price);
  const builder = facts.caller.account;
  const { planId, version: planVersion } = plan;
  const bought = { builder, planId, planVersion, agentRequestId: null, sinceBlock: block };
  const parts = { balance, runsCode, leaseSecs: LEASE_SECS, since: facts.now };
  const opened = await ports.authorizations.open({ ...payment, ...bought }, parts);
  return opened === "open" ? holdFor(context, found) : { cause: CAUSE_OF_OPENING[opened] };
}

async function holdFor(
  { ports }: Context,
  { request, payment, plan, facts, agentId }: Bought,
): Promise<Reserved> {
  const { planId, version: planVersion } = plan;
  const { agentRequestId } = request;
  const builder = facts.caller.account;
  if (facts.hold?.state === "expired")
    await ports.authorizations.releaseExpired(builder, agentRequestId);
  const held = await ports.ledger.hold({
    builder,
    agentRequestId,
    attemptId: request.attemptId,
    account: payment.payer,
    planId,
    agentId,
    jti: payment.id,
    // The credits are bought once the work is done; until then the hold has none.
    amount: 0n,
    planVersion,
    scheme: EXACT,
    ttlMs: LEASE_SECS * 1000,
    subject: exactSubject(request, planId),
    orderTx: null,
  });
  if (held.outcome === "held") return { reservedUntil: held.expiresAt.toISOString() };
  // The id was taken since the facts were read.
  if (held.outcome === "existing" || held.outcome === "settled") return "again";
  return { cause: held.outcome === "stale" ? "token_revoked" : "authorization_used" };
}

/** Who asks for which plan, and whether the authorization is what its offer asks for; no chain is asked. */
export async function findBought(
  context: Context,
  request: PermissionRequest,
  exact: ExactRequest,
): Promise<Bought | Refused> {
  const { ports } = context;
  const { payment, planId, offer } = exact;
  const facts = await readExactFacts(context, request, exact);
  const plan = planId === null ? null : await ports.plans.find(planId);
  // A payment that comes for the first time has no token.
  const ordered = facts.token && (await ports.orders.findByKey(payment.payer, payment.id));
  const order = ordered?.planId === planId ? ordered : null;
  // A stopped account, or a key that has ended, sells nothing more; what a wallet has paid, or may have, is answered.
  if (!order) requireUsable(facts.caller);
  if (!plan || !facts.plan) return { cause: "plan_not_offered" };
  const isBefore = order !== null || isAccepted(facts, payment);
  if (!offer && !isBefore) return { cause: "plan_not_offered" };
  if (!isRedeemer(facts.caller, facts.plan)) return { cause: "not_your_plan" };
  const chain = exactOf(context);
  const isOnChain = ports.rails.getByPrice(plan.price).network === chain.network;
  const isWorth = isOnChain && isAsOffered(chain, { payment, plan, network: offer?.network });
  if (!isBefore && !isWorth) return { cause: "other_payment" };
  const known = await ports.accounts.find(payment.payer);
  if (known && known.owner !== known.address) return { cause: "account_wallet" };
  const asked = offer ? request.maxAmount : inRange(facts.plan, request.maxAmount);
  const amount = amountToTake(facts.plan, asked, null);
  if (typeof amount !== "bigint") throw new PaymentsError("invalid_amount", amount.message);
  const agentId = facts.agent?.owner === plan.owner ? (offer?.extra?.agentId ?? null) : null;
  return { request, payment, plan, facts, order, agentId, amount };
}

/** What a call costs by the plans that are offered now, as far as the plan that it bought takes so much. */
function inRange(
  { minAmount, maxAmount }: NonNullable<ReadFacts["plan"]>,
  asked: bigint | undefined,
): bigint | undefined {
  if (asked === undefined || asked < minAmount) return minAmount;
  return asked > maxAmount ? maxAmount : asked;
}

/** Whether the request was accepted with this payment: at the price of that time, which may have changed since. */
const isAccepted = ({ hold, settlement }: ReadFacts, { id }: ExactPayment): boolean =>
  settlement ? settlement.fingerprint === id : hold?.state === "held" && hold.jti === id;

/** A plan's own price decides, never what the offer or the payment says it is. */
function isAsOffered(
  { network, asset }: ExactChain,
  {
    payment,
    plan: { price },
    network: offered = "",
  }: { payment: ExactPayment; plan: PlanRecord; network: string | undefined },
): boolean {
  const isSame = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase();
  return (
    price.receivers.length === 1 &&
    readNetwork(offered) === network &&
    isSame(payment.asset, price.tokenAddress) &&
    isSame(payment.asset, asset) &&
    isSame(payment.payTo, price.receivers[0]) &&
    payment.value === totalOf(price)
  );
}

export const usedBefore = ({
  request,
  facts,
  payment,
}: Pick<Bought, "request" | "facts" | "payment">) =>
  rejected({
    code: "idempotency_conflict",
    ...usedText(request.agentRequestId, facts, { jti: payment.id, account: payment.payer }),
  });
