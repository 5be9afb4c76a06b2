import { type ParsedInputOf, PaymentsError, type RefundPayment } from "@turnpike/payments/protocol";
import { type Context, invalid } from "../context.ts";
import type { Ports } from "../ports.ts";
import { type AccountPayment, walletHolds } from "./account-payments.ts";
import type { RefundRecord } from "./refund-ports.ts";

/** Whether the money has to come from the builder's account, and only their own wallet can sign for it. */
export const isPaidByWallet = async (
  ports: Ports,
  refund: Pick<RefundRecord, "orderId" | "scheme" | "owner">,
): Promise<boolean> =>
  isOnChain(ports, refund) && (await ports.ownerGrants?.isOwnerElsewhere(refund.owner)) === true;

const isOnChain = (
  { rails }: Ports,
  { orderId, scheme }: Pick<RefundRecord, "orderId" | "scheme">,
): boolean => orderId !== null && rails.find(scheme)?.collects === false;

/** What the builder's wallet has to sign, for a refund that waits for it. */
export async function describeRefundPayment(
  { ports }: Context,
  asked: RefundRecord,
  { amount }: Pick<ParsedInputOf<"getRefundPayment">, "amount">,
): Promise<RefundPayment> {
  const { ownerGrants } = ports;
  if (asked.state !== "requested" || !ownerGrants || !isOnChain(ports, asked)) {
    throw new PaymentsError("conflict", "This refund needs no signature.", {
      details: [{ path: "refund", message: "signature" }],
    });
  }
  const payment = await paymentOf(ports, { ...asked, amount: amount ?? asked.amount });
  return {
    refundId: asked.refundId,
    to: payment.to,
    token: payment.token,
    amount: payment.amount.toString(),
    ...(await ownerGrants.describePayment(payment)),
  };
}

/** The wallet's signature as contracts take it; null where the service signs itself. */
export async function readSignature(
  { ports }: Context,
  refund: RefundRecord,
  given: string | undefined,
): Promise<string | null> {
  if (!(await isPaidByWallet(ports, refund))) return null;
  if (given === undefined) throw walletHolds({ path: "refund", hint: hintOf(refund) });
  const payment = await paymentOf(ports, refund);
  const signature = await ports.ownerGrants?.readPaymentSignature(payment, given);
  if (signature) return signature;
  throw invalid("signature", "This is not the account owner's signature of this refund.");
}

/** Says that a builder's new refund is refused because an earlier one, or a subscriber's request, needs their signature. */
export const waitsForWallet = (asked: RefundRecord): PaymentsError =>
  new PaymentsError(
    "conflict",
    asked.madeBy === "subscriber"
      ? "The subscriber has requested a refund of this, which is waiting for your answer."
      : "A refund of this is waiting for your wallet's signature.",
    {
      hint: `${hintOf(asked)} Another amount can be given to both.`,
      details: [
        { path: "refund", message: "requested" },
        { path: "refundId", message: asked.refundId },
      ],
    },
  );

const hintOf = ({ refundId }: RefundRecord): string =>
  `Sign the payment of GET /refund-requests/${refundId}/payment with your wallet, and accept the refund with that \`signature\`.`;

async function paymentOf(ports: Ports, refund: RefundRecord): Promise<AccountPayment> {
  const order = refund.orderId && (await ports.orders.find(refund.orderId));
  const payment = order && (await ports.rails.find(refund.scheme)?.refundPayment?.(order, refund));
  if (payment) return payment;
  throw new PaymentsError(
    "rail_unavailable",
    "This deployment cannot refund payments of this kind.",
  );
}
