import type { PlanVersion } from "@/lib/domain/chain-ports.ts";
import type { AccountPayments } from "@/lib/domain/money/account-payments.ts";
import type { PaymentControl } from "@/lib/domain/orders/order-ports.ts";

type ChainRefundOptions = {
  payments: AccountPayments;
  findVersion: (planId: string, version: number) => Promise<PlanVersion>;
};

const SHORT =
  "Your account holds less than this refund. Add funds to its address on Balance, then refund again.";

/**
 * Refunds on chain: the plan's owner pays back from their account to the account or wallet that paid, in the token that
 * was paid. The payment's id is the refund's, so a repeat never pays twice.
 *
 * @example const rail = { ...terms, refundPart: refundFromOwner({ payments, findVersion }) };
 */
export const refundFromOwner =
  ({ payments, findVersion }: ChainRefundOptions): NonNullable<PaymentControl["refundPart"]> =>
  async ({ planId, planVersion, account: to }, { refundId, amount, owner }) => {
    const { tokenAddress: token } = (await findVersion(planId, planVersion)).price;
    const from = { kind: "refund", account: owner } as const;
    const outcome = await payments.pay({ ...from, paymentId: refundId, token, to, amount });
    if (outcome.status === "refused") {
      return outcome.code === "insufficient_funds" ? { ...outcome, message: SHORT } : outcome;
    }
    if (outcome.status === "paid") return { status: "refunded", reference: outcome.txHash };
    throw new Error(`Refund ${refundId} is under way on chain.`);
  };
