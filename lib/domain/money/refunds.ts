import {
  type ParsedInputOf,
  PaymentsError,
  type Refund,
  type RefundPayment,
  toJson,
} from "@turnpike/payments/protocol";
import { auditNote, type Context, invalid, requireCaller } from "../context.ts";
import { requireWithinRoot } from "../delegations/key-roots.ts";
import { amountText } from "../orders/money.ts";
import { pageAnswer } from "../page-answer.ts";
import { currencyPaid } from "../rails/rail.ts";
import { answerOf, decided, keyConflict, refundAnswer, sameAnswer } from "./refund-answer.ts";
import {
  ANSWER_WITHIN_SECS,
  type Refundable,
  type RefundOpening,
  type RefundRecord,
} from "./refund-ports.ts";
import { isGrantedByRule, requestedPart } from "./refund-rules.ts";
import { describeRefundPayment, isPaidByWallet, readSignature } from "./refund-signature.ts";
import { findOwnRefund, findSubject, requireWorthOfCall, type Subject } from "./refund-subject.ts";
import { isOfUnused, leastOf, leftOf } from "./refundable.ts";
import { sendRefund } from "./send-refunds.ts";

/** Refunds an order or a settled call of the caller's plans. Credits leave first, then the money is sent. */
export async function createRefund(
  context: Context,
  input: ParsedInputOf<"createRefund">,
): Promise<Refund> {
  const known = await findKnown(context, input);
  if (known) return known;
  const subject = await findSubject(context, input, "builder");
  if (subject.refundable) await requireWithinRoot(context);
  const refund = await newRefund(context, subject, { ...input, madeBy: "builder" });
  // Nothing moves before their wallet has signed.
  return (await isPaidByWallet(context.ports, refund))
    ? awaitAnswer(context, refund)
    : openRefund(context, refund);
}

export async function listRefunds(context: Context, query: ParsedInputOf<"listRefunds">) {
  const { account } = requireCaller(context);
  const page = await context.ports.refunds.list({ role: "builder", ...query, account });
  return pageAnswer({ ...page, items: page.items.map(refundAnswer) }, query);
}

export const getRefund = async (
  context: Context,
  { refundId }: ParsedInputOf<"getRefund">,
): Promise<Refund> => refundAnswer(await findOwnRefund(context, refundId, "either"));

/**
 * Asks the builder for a refund of the caller's order or settled call. Without an amount it is what a rule of the plan
 * promises, or all that is left; for a call its credits, or what they cost once they have expired.
 */
export async function requestRefund(
  context: Context,
  input: ParsedInputOf<"requestRefund">,
): Promise<Refund> {
  const known = await findKnown(context, input);
  if (known) return known;
  const subject = await findSubject(context, input, "subscriber");
  const part = input.amount ?? (await requestedPart(context, subject));
  const refund = await newRefund(context, subject, { ...input, part, madeBy: "subscriber" });
  const isGranted = await isGrantedByRule(context, subject, refund);
  const byWallet = await isPaidByWallet(context.ports, refund);
  if (isGranted && !byWallet) {
    const granted = await openByRule(context, { ...refund, madeBy: "rule" });
    if (granted) return granted;
  }
  return awaitAnswer(context, refund);
}

/**
 * Opens a refund that a rule promises; null if the unused part of an order was used meanwhile, the credits that would
 * return have expired, or the builder was paid out what it would take. What a failed call cost is promised whether or not
 * its order has anything unused.
 */
async function openByRule(context: Context, refund: RefundRecord): Promise<Refund | null> {
  const isUnused = (now: Refundable) => isOfUnused(context, now, refund.amount);
  const opening = await open(context, refund, refund.requestKey === null ? isUnused : undefined);
  return ["used", "expired", "paid-out", "many"].includes(opening.outcome)
    ? null
    : answerOpened(context, refund, opening);
}

/** Writes a refund that the builder has to accept. */
async function awaitAnswer(context: Context, refund: RefundRecord): Promise<Refund> {
  const { ports } = context;
  const expiresAt = new Date(refund.createdAt.getTime() + ANSWER_WITHIN_SECS * 1000);
  const audit = auditNote(context, "refund.request", refund.refundId);
  const asked: RefundRecord = { ...refund, state: "requested", expiresAt };
  return answerOf(await ports.refunds.request(asked, audit), asked);
}

/** The payment of a request for the builder's own wallet to sign. */
export async function getRefundPayment(
  context: Context,
  input: ParsedInputOf<"getRefundPayment">,
): Promise<RefundPayment> {
  const asked = await findOwnRefund(context, input.refundId, "builder");
  if (input.amount) await requireAmount(context, asked, input.amount);
  return describeRefundPayment(context, asked, input);
}

/** Accepts a request; accepting again with the same amount and message answers the same. */
export async function acceptRefundRequest(
  context: Context,
  { refundId, amount, message, signature }: ParsedInputOf<"acceptRefundRequest">,
): Promise<Refund> {
  const asked = await findOwnRefund(context, refundId, "builder");
  const isAsked = asked.madeBy === "subscriber" || asked.signature || asked.state === "requested";
  if (!isAsked) throw decided(asked);
  if (asked.state !== "requested") return sameAnswer(asked, { amount, message });
  const isMoney = asked.orderId !== null;
  if (isMoney) await requireWithinRoot(context);
  if (amount !== undefined && !isMoney) throw invalid("amount", "This request is for credits.");
  const chosen = { ...asked, amount: amount ?? asked.amount, message: message ?? null };
  await requireAmount(context, asked, chosen.amount);
  const signed = await readSignature(context, chosen, signature);
  const refund = { ...chosen, signature: signed, expiresAt: null };
  const opening = await open(context, refund);
  if (opening.outcome === "decided") return sameAnswer(opening.refund, { amount, message });
  return answerOpened(context, refund, opening);
}

/** Declines a request; declining again answers the same. */
export async function declineRefundRequest(
  context: Context,
  { refundId, message }: ParsedInputOf<"declineRefundRequest">,
): Promise<Refund> {
  const asked = await findOwnRefund(context, refundId, "builder");
  const { refunds } = context.ports;
  const audit = auditNote(context, "refund.decline", refundId);
  const isFirst =
    asked.state === "requested" && (await refunds.decline(refundId, message ?? null, audit));
  const now = isFirst ? await refunds.find(refundId) : asked;
  if (now?.state !== "declined") throw decided(now ?? asked);
  return refundAnswer(now);
}

const openRefund = async (context: Context, refund: RefundRecord): Promise<Refund> =>
  answerOpened(context, refund, await open(context, refund));

function open(
  context: Context,
  refund: RefundRecord,
  isUnused?: (now: Refundable) => boolean,
): Promise<RefundOpening> {
  const { refunds, rails } = context.ports;
  const rail = refund.orderId === null ? null : rails.find(refund.scheme);
  const isSentOn = rail?.sendsOn?.(refund.owner) ?? false;
  const { mostADay = 0 } = rail?.refundParts?.(refund.currency) ?? {};
  return refunds.open(refund, auditNote(context, "refund", refund.refundId), {
    isSentOn,
    mostADay,
    isUnused,
  });
}

/** Sends what was opened, and answers with the refund as it is then. */
async function answerOpened(
  { ports }: Context,
  refund: RefundRecord,
  opening: RefundOpening,
): Promise<Refund> {
  if (opening.outcome === "opened" && opening.refund.state === "open") {
    await sendRefund(ports, opening.refund);
  }
  const { refundId } = "refund" in opening ? opening.refund : refund;
  return answerOf(opening, (await ports.refunds.find(refundId)) ?? refund);
}

async function newRefund(
  context: Context,
  subject: Subject,
  input: ParsedInputOf<"createRefund"> & {
    madeBy: "builder" | "subscriber";
    part?: bigint | undefined;
  },
): Promise<RefundRecord> {
  const { ports } = context;
  const { account } = requireCaller(context);
  const { refundable, settlement } = subject;
  const left = refundable ? leftOf(refundable) : 0n;
  const amount = refundable ? (input.part ?? input.amount ?? left) : 0n;
  if (refundable) await requireStep(context, refundable.order.orderId, amount);
  const now = await ports.clock.now();
  return {
    refundId: ports.crypto.randomId(),
    orderId: refundable?.order.orderId ?? null,
    requestKey: settlement?.requestKey ?? null,
    account: subject.account,
    owner: subject.owner,
    planId: subject.planId,
    scheme: subject.scheme,
    currency: refundable
      ? currencyPaid(ports.rails.find(subject.scheme), refundable.order.currency)
      : "credits",
    amount,
    credits: refundable ? 0n : (settlement?.amount ?? 0n),
    state: "open",
    madeBy: input.madeBy,
    reason: input.reason ?? null,
    message: null,
    idempotencyKey: input.idempotencyKey ? `${account}/${input.idempotencyKey}` : null,
    fingerprint: fingerprintOf(context, input),
    reference: null,
    failureCode: null,
    failureMessage: null,
    createdAt: now,
    updatedAt: now,
    expiresAt: null,
    signature: null,
    dueAt: null,
    checks: 0,
  };
}

/** The refund that a repeat with the same idempotency key finds. */
async function findKnown(
  context: Context,
  input: ParsedInputOf<"createRefund">,
): Promise<Refund | null> {
  if (!input.idempotencyKey) return null;
  const { account } = requireCaller(context);
  const known = await context.ports.refunds.findByKey(`${account}/${input.idempotencyKey}`);
  if (known && known.fingerprint !== fingerprintOf(context, input)) throw keyConflict();
  return known && refundAnswer(known);
}

const fingerprintOf = (
  { ports }: Context,
  { orderId, agentRequestId, amount, reason }: ParsedInputOf<"createRefund">,
): string => ports.crypto.digest(toJson({ orderId, agentRequestId, amount, reason }));

/** What a request is accepted with can be sent, and is at most what its call cost. */
async function requireAmount(context: Context, asked: RefundRecord, amount: bigint): Promise<void> {
  if (!asked.orderId) return;
  await requireStep(context, asked.orderId, amount);
  await requireWorthOfCall(context, asked, amount);
}

/** Amounts that the rail cannot send are refused before any credits leave. */
async function requireStep(context: Context, orderId: string, amount: bigint): Promise<void> {
  const { ports } = context;
  const found = await ports.refunds.findRefundable(orderId);
  const rail = found && ports.rails.find(found.order.scheme);
  if (!found || !rail?.refundPart) {
    throw new PaymentsError(
      "rail_unavailable",
      "This deployment cannot refund payments of this kind.",
    );
  }
  const step = rail.refundStep?.(found.order.currency) ?? 1n;
  // What an amount leaves may be one, where what is left is none: earlier releases took such prices, the processor such refunds.
  if ([amount, found.left - amount].every((part) => part % step !== 0n))
    throw invalid("amount", `Use a multiple of ${step}.`);
  const least = leastOf(context, found);
  if (amount < least && amount !== found.left) {
    const part = amountText(currencyPaid(rail, found.order.currency), least);
    throw invalid("amount", `Refund at least ${part}, or everything that is left.`);
  }
}
