import type { Stripe } from "stripe";
import type { PaymentControl } from "@/lib/domain/orders/order-ports.ts";
import { readable, scrub } from "./scrub.ts";
import { createSendOnce, isRefusal } from "./send-once.ts";

/**
 * Sends the evidence of disputes to their banks. A refusal is answered as one unless the bank has evidence by now: that
 * of an earlier attempt whose answer was lost.
 *
 * @example const { submitEvidence } = createDisputeEvidence(stripe);
 */
export function createDisputeEvidence(
  stripe: Pick<Stripe, "disputes">,
): Required<Pick<PaymentControl, "submitEvidence">> {
  const sendOnce = createSendOnce();
  return {
    submitEvidence: (disputeId, evidence) =>
      readable(async () => {
        const findSubmitted = async () => {
          const found = await stripe.disputes.retrieve(disputeId);
          return found.evidence_details.submission_count > 0 ? found : null;
        };
        try {
          await sendOnce(
            `dp_${disputeId}`,
            (idempotencyKey) =>
              stripe.disputes.update(disputeId, { evidence, submit: true }, { idempotencyKey }),
            { find: findSubmitted },
          );
        } catch (cause) {
          if (!isRefusal(cause)) throw cause;
          const { code = "invalid_request", message } = cause;
          const refusal = { code, message: scrub(message) };
          if (code === "resource_missing") return refusal;
          if (!(await findSubmitted())) return refusal;
        }
        return undefined;
      }),
  };
}
