import { answerOf } from "../exchange.ts";
import { type Check, error, fault, pass, skip, type Verdict } from "./check.ts";
import { failureOf, isSuccess, onReceipt, seenIn } from "./paid-check.ts";
import type { PaidRecording } from "./paid-recording.ts";

/** What is charged when the agent fails, the service fails, calls run in parallel, or the token is used up. */
export const CHARGE_CHECKS: readonly Check[] = [
  {
    ...error("D46", "No charge when the agent fails"),
    seen: ({ paid }) => seenIn(paid?.broken, "with a token and an incomplete body"),
    run: onReceipt("D46", (_call, { broken }) => {
      if (!broken) return null;
      const answer = answerOf(broken.exchange);
      if (!answer) return skip(`No response to check: ${failureOf(broken.exchange)}`);
      if (answer.status < 400) {
        return skip(
          "The agent accepts an incomplete body, so the check can’t make it fail from outside.",
        );
      }
      if (answer.status === 402) return skip("The token was rejected before the agent could fail.");
      const taken = broken.before - broken.after;
      return taken === 0n && broken.receipt.kind !== "settled"
        ? pass(`The agent returned ${answer.status}, and no credits were used.`)
        : fault(
            `The agent returned ${answer.status}, but ${taken} credits were used.`,
            "Settle after the work, and only for 2xx responses.",
          );
    }),
  },
  {
    ...error("D47", "Failed settlements are reported"),
    seen: ({ paid }) => seenIn(paid?.unsettled, "with a token, while settlement is down"),
    run: onReceipt("D47", (_call, { unsettled }) => (unsettled ? judgeUnsettled(unsettled) : null)),
  },
  {
    ...error("D48", "Parallel calls add up"),
    seen: ({ paid }) => seenIn(paid?.parallel?.calls[0], "with a token, 20 times in parallel"),
    run: onReceipt("D48", (_call, { parallel, plan }) => {
      if (!parallel) return null;
      const { calls, before, after } = parallel;
      const settlements = calls.flatMap(({ receipt }) =>
        receipt.kind === "settled" ? [receipt.settlement] : [],
      );
      if (settlements.length === 0)
        return fault(`None of ${calls.length} parallel calls was paid.`);
      const ids = new Set(settlements.map(({ agentRequestId }) => agentRequestId));
      if (ids.size < settlements.length) {
        return fault(
          "Several receipts have the same request ID.",
          "Give every request a unique ID.",
        );
      }
      const said = settlements.reduce((sum, one) => sum + BigInt(one.creditsRedeemed), 0n);
      const taken = plan.isTime ? said : before - after;
      if (said !== taken) {
        return fault(
          `${calls.length} parallel calls: the receipts add up to ${said} credits, but the balance decreased by ${taken}.`,
          "Settle each request exactly once under its own ID, also when requests run in parallel.",
        );
      }
      const unpaid = calls.filter(
        ({ exchange, receipt }) => isSuccess(exchange) && receipt.kind !== "settled",
      ).length;
      return unpaid > 0
        ? fault(`${unpaid} of ${calls.length} parallel calls were answered but not settled.`)
        : pass(
            `${settlements.length} of ${calls.length} calls were paid, ${said} credits in total.`,
          );
    }),
  },
  {
    ...error("D49", "Token limits are enforced"),
    seen: ({ paid }) =>
      seenIn(paid?.limited?.beyond, "with a one-request token, for the second time"),
    run: onReceipt("D49", (_call, { limited }) => {
      if (!limited) return null;
      const { allowed, beyond } = limited;
      if (!isSuccess(allowed.exchange)) {
        return skip("The token's first request failed, so its limit was not reached.");
      }
      const status = answerOf(beyond.exchange)?.status;
      if (isSuccess(beyond.exchange)) {
        return fault(
          `A one-request token worked twice (${status}).`,
          "Verify the token with the service for every request. Do not cache the result.",
        );
      }
      return beyond.before === beyond.after
        ? pass(
            `The second request was rejected (${status ?? "no response"}), and no credits were used.`,
          )
        : fault(
            `The second request was rejected, but ${beyond.before - beyond.after} credits were used.`,
          );
    }),
  },
];

function judgeUnsettled({
  exchange,
  receipt,
  attempts,
  record,
  before,
  after,
}: NonNullable<PaidRecording["unsettled"]>): Verdict {
  const answer = answerOf(exchange);
  if (attempts === 0) return skip("The agent did not try to settle while settlement was down.");
  if (!answer) return skip(`No response to check: ${failureOf(exchange)}`);
  if (answer.status >= 400) {
    return before === after
      ? pass(`The agent withheld its response (${answer.status}), and no credits were used.`)
      : fault(
          `The agent withheld its response (${answer.status}), but ${before - after} credits were used.`,
        );
  }
  if (receipt.kind === "refused")
    return pass(`The receipt says success: false, ${receipt.settlement.errorReason}.`);
  if (receipt.kind === "settled" && record?.moneyStatus !== "settled") {
    return fault(
      "The receipt says success, but the service settled nothing.",
      "Never invent a receipt. Return success: false and settle later with the same request ID.",
    );
  }
  if (receipt.kind === "settled")
    return pass("The agent settled after a retry, before it responded.");
  return record && record.moneyStatus !== "settled"
    ? pass(`The service lists the request as ${record.moneyStatus}.`)
    : fault(
        "The agent responded without a receipt, and the service has no record of the request.",
        "Return success: false in payment-response, or report the request as delivered-unsettled.",
      );
}
