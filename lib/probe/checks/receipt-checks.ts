import { X402_HEADERS } from "@turnpike/payments/protocol";
import { answerOf, type Exchange, headerOf, isLost } from "../exchange.ts";
import {
  type Check,
  caution,
  error,
  fault,
  info,
  pass,
  type Recording,
  type Seen,
  skip,
} from "./check.ts";
import {
  failureOf,
  isSuccess,
  judgeBalance,
  onPaid,
  onReceipt,
  onSettled,
  seenIn,
} from "./paid-check.ts";
import { reasonIn } from "./token-checks.ts";

/** A paid call and its receipt. These checks use credits. */
export const RECEIPT_CHECKS: readonly Check[] = [
  {
    ...error("D40", "Accepts a valid token and returns a receipt"),
    seen: seenFirst,
    run: onPaid("D40", ({ first }, ask) => {
      if (!first) return null;
      const answer = answerOf(first.exchange);
      if (!answer) {
        const unknown = isLost(first.exchange) ? " It may have been charged." : "";
        return fault(`No response to a valid token: ${failureOf(first.exchange)}${unknown}`);
      }
      if (!isSuccess(first.exchange)) {
        const reason = reasonIn(first.exchange, ask);
        return fault(
          `A valid token got ${answer.status}${reason ? ` (${reason})` : ""}.`,
          "Verify the token in the playground, and enter a body that the agent accepts.",
        );
      }
      if (first.receipt.kind === "none") {
        return fault(
          `${answer.status} without a payment-response header, so the caller cannot tell whether they paid.`,
          "Send the settlement as base64-encoded JSON in the payment-response header.",
        );
      }
      if (first.receipt.kind === "unreadable") {
        return fault(
          "The payment-response header is unreadable.",
          "Send the settlement as base64-encoded JSON.",
        );
      }
      if (!("isLookedUp" in first.receipt)) return pass(`${answer.status} with a receipt.`);
      return isStreamed(first.exchange)
        ? pass(`${answer.status}, and the service has the receipt under the request ID.`)
        : caution(
            `${answer.status} without a payment-response header. The service has the receipt under the request ID, but stock x402 clients read the header.`,
            "Pass on the gate's headers unchanged. Ignore this if the response is streamed: its receipt is known only at its end.",
          );
    }),
  },
  {
    ...error("D41", "Receipt states success and payer"),
    seen: seenFirst,
    run: onReceipt("D41", ({ receipt }, { payer }) => {
      if (receipt.kind !== "settled") {
        return fault(
          `The receipt says success: false (${receipt.settlement.errorReason}).`,
          "Find the request under Activity and settle again with the same request ID.",
        );
      }
      const given = receipt.settlement.payer;
      return given.toLowerCase() === payer.toLowerCase()
        ? pass("success is true, and the payer matches the token.")
        : fault(`The payer is ${given.slice(0, 64)}, but the token is from ${payer}.`);
    }),
  },
  {
    ...error("D42", "Charges what the plan and the offer say"),
    seen: seenFirst,
    run: onSettled("D42", ({ credits }, { plan, offered }) => {
      if (plan.isTime) {
        return credits === 0n
          ? pass("A time plan uses no credits.")
          : fault(`A time plan was charged ${credits} credits.`);
      }
      if (credits < plan.least || credits > plan.most) {
        return fault(
          `The call was charged ${credits} credits, but the plan says ${plan.least} to ${plan.most}.`,
        );
      }
      return offered !== null && credits > offered
        ? fault(
            `The call was charged ${credits} credits, but the offer says ${offered}.`,
            "Settle no more than the amount in the 402.",
          )
        : pass(`creditsRedeemed is ${credits}, within ${plan.least} to ${plan.most}.`);
    }),
  },
  {
    ...error("D43", "Balance matches the receipt"),
    seen: seenFirst,
    run: onSettled("D43", ({ credits, call }, { plan }) =>
      judgeBalance(call, plan.isTime ? 0n : credits),
    ),
  },
  {
    ...error("D44", "Transaction succeeded"),
    seen: seenFirst,
    run: onSettled("D44", ({ transaction, isPending }, { plan, record }) => {
      if (!plan.isCrypto) return skip("Card plans have no on-chain transaction.");
      if (!record) return fault("The service has no record of this request.");
      const isNamedLater = isPending && transaction === "";
      if (!isNamedLater && record.transaction.toLowerCase() !== transaction.toLowerCase()) {
        return fault(
          `The receipt names transaction ${transaction.slice(0, 80) || "(none)"}, but the service recorded ${record.transaction || "none"}.`,
          "Return the service's settlement unchanged.",
        );
      }
      if (record.chainStatus === "none") return skip("This plan does not settle on chain.");
      if (record.chainStatus === "failed") return fault("The transaction failed on chain.");
      return record.chainStatus === "included" || record.chainStatus === "final"
        ? pass(`${record.transaction} is included in a block.`)
        : fault("The transaction was not included in a block within 30 seconds.");
    }),
  },
  {
    ...info("D45", "No double charge"),
    seen: ({ paid }) => seenIn(paid?.again, "with the same token again"),
    run: onReceipt("D45", (_call, { again, plan, first }) => {
      if (!again) return null;
      const [one, two] = [first?.receipt, again.receipt];
      if (two.kind !== "settled") {
        return isSuccess(again.exchange)
          ? fault("A second call with the same token got no receipt.")
          : judgeBalance(again, 0n);
      }
      const isSame =
        one?.kind === "settled" && one.settlement.agentRequestId === two.settlement.agentRequestId;
      const credits = BigInt(two.settlement.creditsRedeemed);
      const charged = isSame || plan.isTime ? 0n : credits;
      return judgeBalance(
        again,
        charged,
        isSame ? "The same request was not charged twice." : undefined,
      );
    }),
  },
];

/** Whether a response shows that it is sent before it is settled: it is long, an event stream, or announces its receipt. */
function isStreamed(exchange: Exchange): boolean {
  const [type, trailer] = ["content-type", "trailer"].map((name) => headerOf(exchange, name) ?? "");
  return (
    answerOf(exchange)?.cut?.code === "too_large" ||
    /^text\/event-stream/i.test(type ?? "") ||
    (trailer ?? "").toLowerCase().includes(X402_HEADERS.PAYMENT_RESPONSE)
  );
}

function seenFirst({ paid }: Recording): Seen | null {
  return seenIn(paid?.first, "with a token");
}
