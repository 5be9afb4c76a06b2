import { isAddress } from "viem";
import type { PlanVersion } from "@/lib/domain/chain-ports.ts";
import type { AccountPayments } from "@/lib/domain/money/account-payments.ts";
import type { PaymentControl } from "@/lib/domain/orders/order-ports.ts";

type ChainRefundOptions = {
  payments: AccountPayments;
  findVersion: (planId: string, version: number) => Promise<PlanVersion>;
  /** Of refunds in parts; the amount in the stable token. */
  limits: { least: bigint; mostADay: number };
};

const SHORT =
  "Your account holds less than this refund. Add funds to its address on Balance, then refund again.";

/** The part of a rail that refunds from the builder's account. */
export type OwnerRefunds = Required<
  Pick<PaymentControl, "refundPart" | "refundPayment" | "refundParts">
>;

/**
 * Refunds on chain: the plan's owner pays back from their account to the account or wallet that paid, in the token that
 * was paid. The payment's id is the refund's, so a repeat never pays twice.
 *
 * @example const rail = { ...terms, ...refundFromOwner({ payments, findVersion, limits }) };
 */
export function refundFromOwner(options: ChainRefundOptions): OwnerRefunds {
  const { payments, findVersion, limits } = options;
  const refundPayment: OwnerRefunds["refundPayment"] = async (order, refund) => {
    const { tokenAddress: token } = (await findVersion(order.planId, order.planVersion)).price;
    const { refundId: paymentId, amount, owner: account } = refund;
    return { kind: "refund", paymentId, account, token, to: order.account, amount };
  };
  return {
    refundPayment,
    // Other tokens are named by their address, and have no known value.
    refundParts: (currency) => (isAddress(currency) ? { ...limits, least: 0n } : limits),
    async refundPart(order, refund) {
      const outcome = await payments.pay(await refundPayment(order, refund), refund.signature);
      if (outcome.status === "refused") {
        return outcome.code === "insufficient_funds" ? { ...outcome, message: SHORT } : outcome;
      }
      if (outcome.status === "paid") return { status: "refunded", reference: outcome.txHash };
      throw new Error(`Refund ${refund.refundId} is under way on chain.`);
    },
  };
}
