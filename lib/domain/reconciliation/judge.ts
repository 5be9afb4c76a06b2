import { moneyOf } from "../orders/money.ts";
import type {
  Difference,
  DifferenceKind,
  LedgerPayment,
  LedgerPayout,
} from "./difference-ports.ts";
import type { ProcessorPayment, ProcessorTransfer } from "./processor-records.ts";

/** An order's side in the ledger and its payments at the processor. */
export type OrderPair = {
  orderId: string;
  order: LedgerPayment | null;
  payments: readonly ProcessorPayment[];
};

/** How the ledger and the processor differ about one order; null when they agree. */
export function judgeOrder({ orderId, order, payments }: OrderPair): Difference | null {
  const differ = (kind: DifferenceKind, detail: string, payment?: ProcessorPayment) => ({
    differenceId: `${kind}:${orderId}`,
    kind,
    subject: orderId,
    reference: payment?.paymentId ?? order?.reference ?? null,
    detail,
  });
  const main = mainPayment(order, payments);
  const extra = payments.find((payment) => payment !== main && leftOf(payment) > 0n);
  if (order && extra) {
    const detail = `Order ${orderId} was paid twice: also by ${extra.paymentId}, ${textOf(extra)}.`;
    return differ("paid_twice", detail, extra);
  }
  if (!order) {
    if (!main || leftOf(main) === 0n) return null;
    const detail = `Payment ${main.paymentId} of ${textOf(main)} is for order ${orderId}, which the ledger does not have.`;
    return differ("payment_without_order", detail, main);
  }
  if (order.status === "declined") {
    const isKnown = order.refundState === "owed" || order.refundState === "refused";
    if (!main || isKnown || leftOf(main) === 0n) return null;
    const detail = `Order ${orderId} was declined, and payment ${main.paymentId} of ${textOf(main)} went through.`;
    return differ("paid_but_declined", detail, main);
  }
  if (order.status !== "minted" && order.status !== "refunded") {
    if (!main) return null;
    const detail = `Order ${orderId} waits for payment ${main.paymentId}, which went through.`;
    return differ("paid_but_open", detail, main);
  }
  if (!main) {
    const detail = `Order ${orderId} has its credits, and the processor has no payment of ${moneyText(order.price, order.currency)} for it.`;
    return differ("order_without_payment", detail);
  }
  if (main.currency !== order.currency) {
    const detail = `Order ${orderId} costs ${moneyText(order.price, order.currency)}; payment ${main.paymentId} is ${textOf(main)}.`;
    return differ("currency_differs", detail, main);
  }
  if (main.received !== order.price) {
    const detail = `Order ${orderId} costs ${moneyText(order.price, order.currency)}; payment ${main.paymentId} brought ${textOf(main)}.`;
    return differ("amount_differs", detail, main);
  }
  return judgeMoneyBack(order, main, differ);
}

type Differ = (kind: DifferenceKind, detail: string, payment?: ProcessorPayment) => Difference;

function judgeMoneyBack(
  order: LedgerPayment,
  payment: ProcessorPayment,
  differ: Differ,
): Difference | null {
  const { orderId, currency, refunded, refundedPaid, reversed } = order;
  const sent = payment.received - leftOf(payment);
  const money = (amount: bigint) => moneyText(amount, currency);
  if (sent > refunded + reversed) {
    const detail = `Of order ${orderId} ${money(sent)} went back at the processor, ${money(refunded + reversed)} in the ledger.`;
    const isDispute = payment.disputed > reversed;
    return differ(isDispute ? "dispute_unknown" : "refund_unknown", detail, payment);
  }
  if (refundedPaid + reversed > sent) {
    const detail = `Of order ${orderId} ${money(refundedPaid + reversed)} went back in the ledger, ${money(sent)} at the processor.`;
    const isDispute = reversed > payment.disputed;
    return differ(isDispute ? "dispute_ended" : "refund_not_sent", detail, payment);
  }
  return null;
}

/** A transfer and the payout it is for. */
export type PayoutPair = {
  payout: LedgerPayout | null;
  transfer: ProcessorTransfer | null;
  /** The payout has another transfer, which is its own. */
  isExtra?: boolean;
};

/** How the ledger and the processor differ about a payout; null when they agree. */
export function judgePayout({ payout, transfer, isExtra }: PayoutPair): Difference | null {
  const reference = transfer?.transferId ?? payout?.transferReference ?? null;
  const differ = (kind: DifferenceKind, detail: string) => {
    const subject = (isExtra ? reference : payout?.payoutId) ?? reference ?? "";
    return { differenceId: `${kind}:${subject}`, kind, subject, reference, detail };
  };
  if (!payout) {
    if (!transfer || transfer.amount === 0n) return null;
    const { transferId, amount, currency, destination } = transfer;
    const detail = `Transfer ${transferId} of ${moneyText(amount, currency)} to ${destination} is no payout of the ledger.`;
    return differ("payout_unknown", detail);
  }
  const { payoutId, state, amount, currency } = payout;
  if (isExtra) {
    if (!transfer || transfer.amount === 0n) return null;
    const money = moneyText(transfer.amount, transfer.currency);
    const detail = `Payout ${payoutId} was sent twice: also by transfer ${transfer.transferId} of ${money}.`;
    return differ("payout_sent_twice", detail);
  }
  const isOut = state === "sent" || state === "paid";
  const sent = transfer?.amount ?? 0n;
  if (isOut && sent === 0n) {
    const detail = `Payout ${payoutId} of ${moneyText(amount, currency)} is ${state}, and the processor has no transfer for it.`;
    return differ("payout_not_sent", detail);
  }
  const wanted = isOut ? amount : 0n;
  const isSame = sent === wanted && transfer?.currency === currency;
  const isUnderWay = state === "open" || state === "returning";
  if (!transfer || isUnderWay || isSame || (wanted === 0n && sent === 0n)) return null;
  const detail = `Payout ${payoutId} is ${state} with ${moneyText(wanted, currency)}; transfer ${transfer.transferId} is ${moneyText(sent, transfer.currency)}.`;
  return differ("payout_differs", detail);
}

/** The payout's own transfer: the one it names, else one whose money is still there. */
export const mainTransfer = (
  { transferReference }: Pick<LedgerPayout, "transferReference">,
  transfers: readonly ProcessorTransfer[],
): ProcessorTransfer | null =>
  transfers.find(({ transferId }) => transferId === transferReference) ??
  transfers.find(({ amount }) => amount > 0n) ??
  transfers[0] ??
  null;

/** What neither refunds nor a bank took of a payment. */
export function leftOf({ received, refunded, disputed }: ProcessorPayment): bigint {
  const left = received - refunded - disputed;
  return left > 0n ? left : 0n;
}

/** The order's own payment: the one it names, else one whose money is still there. */
const mainPayment = (
  order: Pick<LedgerPayment, "reference"> | null,
  payments: readonly ProcessorPayment[],
): ProcessorPayment | null =>
  payments.find(({ paymentId }) => paymentId === order?.reference) ??
  payments.find((payment) => !order?.reference && leftOf(payment) > 0n) ??
  (order?.reference ? null : (payments[0] ?? null));

const moneyText = (amount: bigint, currency: string): string =>
  `${moneyOf(currency, amount).value} ${currency.toUpperCase()}`;

const textOf = ({ received, currency }: ProcessorPayment): string => moneyText(received, currency);
