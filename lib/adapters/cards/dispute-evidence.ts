import type { Stripe } from "stripe";
import type { PaymentControl } from "@/lib/domain/orders/order-ports.ts";
import { readable, scrub } from "./scrub.ts";
import { createSendOnce, isRefusal } from "./send-once.ts";

/** The bank takes evidence once, and the operator's or the processor's came first. */
const OTHER = { code: "other_evidence", message: "Other evidence was already sent." };

/** Whether what the bank has is this evidence, apart from white space. */
const isSame = (evidence: Record<string, string>, { evidence: has }: Stripe.Dispute): boolean =>
  Object.entries(evidence).every(
    ([name, sent]) => wordsOf(sent) === wordsOf(has[name as keyof Stripe.Dispute.Evidence]),
  );

const wordsOf = (text: unknown): string =>
  (typeof text === "string" ? text : "").trim().split(/\s+/).join(" ");

/**
 * Sends the evidence of disputes to their banks. A refusal is answered as one unless the bank has this evidence by now, from
 * an earlier attempt whose answer was lost.
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
        const earlier: Stripe.Dispute[] = [];
        const findSubmitted = async () => {
          const found = await stripe.disputes.retrieve(disputeId);
          if (found.evidence_details.submission_count > 0) earlier.push(found);
          return earlier[0];
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
        return earlier.every((found) => isSame(evidence, found)) ? undefined : OTHER;
      }),
  };
}
