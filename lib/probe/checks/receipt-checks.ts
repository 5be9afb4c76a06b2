import { answerOf } from "../exchange.ts";
import { type Check, fault, pass, type Recording, type Seen, skip } from "./check.ts";
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

/** Checks of a call that is paid, and of what its receipt says. They use credits. */
export const RECEIPT_CHECKS: readonly Check[] = [
  {
    id: "D40",
    severity: "error",
    title: "Answers a valid token, with a receipt",
    seen: seenFirst,
    run: onPaid("D40", ({ first }, ask) => {
      if (!first) return null;
      const answer = answerOf(first.exchange);
      if (!answer) return fault(`It did not answer a valid token: ${failureOf(first.exchange)}`);
      if (!isSuccess(first.exchange)) {
        const reason = reasonIn(first.exchange, ask);
        return fault(
          `A valid token was answered with ${answer.status}${reason ? ` (${reason})` : ""}.`,
          "Compare with the playground's dry verify; give the check a body the agent can work on.",
        );
      }
      if (first.receipt.kind === "none") {
        return fault(
          `It answered ${answer.status} without payment-response, so nobody can tell whether it was paid.`,
          "Send the settlement as base64 of its JSON in the payment-response header.",
        );
      }
      return first.receipt.kind === "unreadable"
        ? fault(
            "The payment-response header cannot be read.",
            "Send base64 of the settlement's JSON.",
          )
        : pass(`${answer.status} with a receipt.`);
    }),
  },
  {
    id: "D41",
    severity: "error",
    title: "The receipt names success and payer",
    seen: seenFirst,
    run: onReceipt("D41", ({ receipt }, { payer }) => {
      if (receipt.kind !== "settled") {
        return fault(
          `The receipt says success: false (${receipt.settlement.errorReason}).`,
          "Look for the request under Activity; settle again under the same request id.",
        );
      }
      const given = receipt.settlement.payer;
      return given.toLowerCase() === payer.toLowerCase()
        ? pass("success is true, payer is the token's from.")
        : fault(`The payer is ${given.slice(0, 64)}, not the token's from, ${payer}.`);
    }),
  },
  {
    id: "D42",
    severity: "error",
    title: "Takes what the plan and the offer say",
    seen: seenFirst,
    run: onSettled("D42", ({ credits }, { plan, offered }) => {
      if (plan.isTime) {
        return credits === 0n
          ? pass("A time plan uses no credits.")
          : fault(`${credits} credits were taken on a time plan.`);
      }
      if (credits < plan.least || credits > plan.most) {
        return fault(`${credits} credits were taken; the plan says ${plan.least} to ${plan.most}.`);
      }
      return offered !== null && credits > offered
        ? fault(
            `${credits} credits were taken; the offer asked for ${offered}.`,
            "Settle no more than the amount the 402 asked for.",
          )
        : pass(`creditsRedeemed is ${credits}, within ${plan.least} to ${plan.most}.`);
    }),
  },
  {
    id: "D43",
    severity: "error",
    title: "The balance falls by the receipt",
    seen: seenFirst,
    run: onSettled("D43", ({ credits, call }, { plan }) =>
      judgeBalance(call, plan.isTime ? 0n : credits),
    ),
  },
  {
    id: "D44",
    severity: "error",
    title: "The transaction exists and succeeded",
    seen: seenFirst,
    run: onSettled("D44", ({ transaction }, { plan, record }) => {
      if (!plan.isCrypto) return skip("A card plan has no transaction on a chain.");
      if (!record) return fault("The service has no record of this request.");
      if (record.transaction.toLowerCase() !== transaction.toLowerCase()) {
        return fault(
          `The receipt names the transaction ${transaction.slice(0, 80) || "(none)"}; the service's record names ${record.transaction || "none"}.`,
          "Pass the service's settlement on as it is.",
        );
      }
      if (record.chainStatus === "none") return skip("This plan does not settle on a chain.");
      if (record.chainStatus === "failed") return fault("The transaction failed on the chain.");
      return record.chainStatus === "included" || record.chainStatus === "final"
        ? pass(`${transaction} is in a block and succeeded.`)
        : fault("The transaction was not in a block after 30 seconds.");
    }),
  },
  {
    id: "D45",
    severity: "info",
    title: "The same token pays for new work only",
    seen: ({ paid }) => seenIn(paid?.again, "with the same token again"),
    run: onReceipt("D45", (_call, { again, plan, first }) => {
      if (!again) return null;
      const [one, two] = [first?.receipt, again.receipt];
      if (two.kind !== "settled") {
        return isSuccess(again.exchange)
          ? fault("The second call with the same token was answered without a receipt.")
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

function seenFirst({ paid }: Recording): Seen | null {
  return seenIn(paid?.first, "with a token");
}
