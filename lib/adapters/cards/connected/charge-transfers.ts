import type { PaymentControl } from "@/lib/domain/orders/order-ports.ts";
import type { CardParts } from "../card-parts.ts";
import type { FindPayment } from "../find-payment.ts";
import { readable, scrub } from "../scrub.ts";
import { createSendOnce, isRefusal, LISTED_MS } from "../send-once.ts";

/** More reversals of one transfer are not read. */
const MOST_REVERSALS = 1_000;

/**
 * Takes chargebacks back from builders who were paid with the charge: the processor takes them from the platform. Looks for
 * what was reversed before each reversal, whose key says how much that was: another amount under it is refused.
 *
 * @example const { takeBackTransfer } = createChargeTransfers({ stripe, environment, findPayment });
 */
export function createChargeTransfers(
  options: CardParts & { findPayment: FindPayment },
): Required<Pick<PaymentControl, "takeBackTransfer">> {
  const { stripe, environment, findPayment } = options;
  const sendOnce = createSendOnce(options.now);

  async function read(transferId: string) {
    const [transfer, reversals] = await Promise.all([
      stripe.transfers.retrieve(transferId),
      stripe.transfers
        .listReversals(transferId, { limit: 100 })
        .autoPagingToArray({ limit: MOST_REVERSALS }),
    ]);
    const ofDisputes = reversals.filter(({ metadata }) => metadata?.reason === "dispute");
    return {
      sent: transfer.amount,
      reversed: reversals.reduce((sum, { amount }) => sum + amount, 0),
      ofDisputes: ofDisputes.reduce((sum, { amount }) => sum + amount, 0),
    };
  }

  return {
    takeBackTransfer: (order, { disputed, due }) =>
      readable(async () => {
        const { orderId, price } = order;
        const intent = await findPayment(order);
        if (!intent?.transfer_data) return { returned: 0n };
        const { latest_charge: charge } = intent;
        const transferId = typeof charge === "object" ? charge?.transfer : null;
        if (typeof transferId !== "string") {
          throw new Error("The processor names no transfer of the charge.");
        }
        const { sent, reversed, ofDisputes } = await read(transferId);
        // A transfer may be in another currency than its charge.
        const countedOf = (amount: bigint) => Number((amount * BigInt(sent)) / price);
        const stateAfter = (counted: number) => ({
          returned: (BigInt(counted) * price) / BigInt(sent),
        });
        const amount = Math.min(
          countedOf(disputed) - ofDisputes,
          countedOf(due) - reversed,
          sent - reversed,
        );
        if (amount < 1) return stateAfter(reversed);
        const terms = { amount, metadata: { order_id: orderId, reason: "dispute", environment } };
        try {
          await sendOnce<unknown>(
            `trr_${orderId}_${ofDisputes}`,
            (idempotencyKey) =>
              stripe.transfers.createReversal(transferId, terms, { idempotencyKey }),
            {
              find: async () => (await read(transferId)).ofDisputes > ofDisputes,
              afterMs: LISTED_MS,
            },
          );
          return stateAfter(reversed + amount);
        } catch (cause) {
          if (!isRefusal(cause)) throw cause;
          const { code = "invalid_request", message } = cause;
          return { ...stateAfter(reversed), failure: { code, message: scrub(message) } };
        }
      }),
  };
}
