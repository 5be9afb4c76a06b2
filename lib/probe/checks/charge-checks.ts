import { answerOf } from "../exchange.ts";
import { type Check, fault, pass, skip, type Verdict } from "./check.ts";
import { failureOf, isSuccess, onReceipt, seenIn } from "./paid-check.ts";
import type { PaidRecording } from "./paid-recording.ts";

/** Checks of what is charged when the agent fails, the service fails, many call, or the token is used up. */
export const CHARGE_CHECKS: readonly Check[] = [
  {
    id: "D46",
    severity: "error",
    title: "No charge when the agent fails",
    seen: ({ paid }) => seenIn(paid?.broken, "with a token, and a body that breaks off"),
    run: onReceipt("D46", (_call, { broken }) => {
      if (!broken) return null;
      const answer = answerOf(broken.exchange);
      if (!answer) return skip(`There was no answer to judge: ${failureOf(broken.exchange)}`);
      if (answer.status < 400) {
        return skip(
          "The agent answers a body that breaks off too, so it cannot be made to fail from outside.",
        );
      }
      if (answer.status === 402) return skip("The token was refused before the agent could fail.");
      const taken = broken.before - broken.after;
      return taken === 0n && broken.receipt.kind !== "settled"
        ? pass(`${answer.status} from the agent, and no credits used.`)
        : fault(
            `The agent answered ${answer.status} and ${taken} credits were used.`,
            "Settle after the work, and only when it ended with a 2xx.",
          );
    }),
  },
  {
    id: "D47",
    severity: "error",
    title: "A payment that fails is marked",
    seen: ({ paid }) => seenIn(paid?.unsettled, "with a token, while the service settles nothing"),
    run: onReceipt("D47", (_call, { unsettled }) => (unsettled ? judgeUnsettled(unsettled) : null)),
  },
  {
    id: "D48",
    severity: "error",
    title: "Parallel calls add up",
    seen: ({ paid }) => seenIn(paid?.parallel?.calls[0], "with a token, twenty times at once"),
    run: onReceipt("D48", (_call, { parallel, plan }) => {
      if (!parallel) return null;
      const { calls, before, after } = parallel;
      const settlements = calls.flatMap(({ receipt }) =>
        receipt.kind === "settled" ? [receipt.settlement] : [],
      );
      if (settlements.length === 0) return fault(`None of ${calls.length} calls at once was paid.`);
      const ids = new Set(settlements.map(({ agentRequestId }) => agentRequestId));
      if (ids.size < settlements.length) {
        return fault(
          "Some receipts name the same request.",
          "Give every request an id of its own.",
        );
      }
      const said = settlements.reduce((sum, one) => sum + BigInt(one.creditsRedeemed), 0n);
      const taken = plan.isTime ? said : before - after;
      if (said !== taken) {
        return fault(
          `${calls.length} calls at once: their receipts say ${said} credits, the balance fell by ${taken}.`,
          "Settle each request once, under its own id, also when many run at the same time.",
        );
      }
      const unpaid = calls.filter(
        ({ exchange, receipt }) => isSuccess(exchange) && receipt.kind !== "settled",
      ).length;
      return unpaid > 0
        ? fault(`${unpaid} of ${calls.length} calls at once were answered and not settled.`)
        : pass(`${settlements.length} of ${calls.length} were paid, ${said} credits in all.`);
    }),
  },
  {
    id: "D49",
    severity: "error",
    title: "A token at its limit is refused",
    seen: ({ paid }) =>
      seenIn(paid?.limited?.beyond, "with a token for one request, the second time"),
    run: onReceipt("D49", (_call, { limited }) => {
      if (!limited) return null;
      const { allowed, beyond } = limited;
      if (!isSuccess(allowed.exchange)) {
        return skip(
          "The first request of the token was not answered, so its limit was not reached.",
        );
      }
      const status = answerOf(beyond.exchange)?.status;
      if (isSuccess(beyond.exchange)) {
        return fault(
          `A token for one request was answered twice (${status}).`,
          "Have the service verify the token for every request; keep no verdict.",
        );
      }
      return beyond.before === beyond.after
        ? pass(`The second request was refused (${status ?? "no answer"}), and no credits used.`)
        : fault(
            `The second request was refused, and ${beyond.before - beyond.after} credits were used.`,
          );
    }),
  },
];

function judgeUnsettled({
  exchange,
  receipt,
  struck,
  record,
  before,
  after,
}: NonNullable<PaidRecording["unsettled"]>): Verdict {
  const answer = answerOf(exchange);
  if (struck === 0) return skip("The agent did not try to settle while the service refused to.");
  if (!answer) return skip(`There was no answer to judge: ${failureOf(exchange)}`);
  if (answer.status >= 400) {
    return before === after
      ? pass(`The answer was withheld (${answer.status}), and no credits used.`)
      : fault(`The answer was withheld (${answer.status}), and ${before - after} credits used.`);
  }
  if (receipt.kind === "refused")
    return pass(`The receipt says success: false, ${receipt.settlement.errorReason}.`);
  if (receipt.kind === "settled" && record?.moneyStatus !== "settled") {
    return fault(
      "The receipt says success, while the service had settled nothing.",
      "Never make up a receipt: say success: false, and settle later under the same request id.",
    );
  }
  if (receipt.kind === "settled") return pass("It settled at last, before it answered.");
  return record && record.moneyStatus !== "settled"
    ? pass(`The service lists the request as ${record.moneyStatus}.`)
    : fault(
        "It answered as if nothing had happened: no receipt, and no record of the request.",
        "Say success: false in payment-response, or report the request as delivered-unsettled.",
      );
}
