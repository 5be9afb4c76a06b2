import { answerOf } from "../exchange.ts";
import type { Finding } from "../report/probe.ts";
import type { DoctorFinding, Severity } from "../report/report.ts";
import { ANSWER_CHECKS } from "./answer-checks.ts";
import { CHARGE_CHECKS } from "./charge-checks.ts";
import type { Check, Recording, Seen } from "./check.ts";
import { DEFINITION_CHECKS } from "./definition-checks.ts";
import { ENVELOPE_CHECKS } from "./envelope-checks.ts";
import { RECEIPT_CHECKS } from "./receipt-checks.ts";
import { TOKEN_CHECKS } from "./token-checks.ts";

/** Every check without a token, ordered by id. */
export const UNPAID_CHECKS: readonly Check[] = [
  ...ANSWER_CHECKS,
  ...ENVELOPE_CHECKS,
  ...DEFINITION_CHECKS,
].sort((one, other) => one.id.localeCompare(other.id));

export const PAID_CHECKS: readonly Check[] = [...RECEIPT_CHECKS, ...CHARGE_CHECKS];

/** Every check: without a token, with unchargeable tokens, and paid. */
export const ALL_CHECKS: readonly Check[] = [...UNPAID_CHECKS, ...TOKEN_CHECKS, ...PAID_CHECKS];

/** Runs checks on a recording and leaves out those that were skipped. */
export const runChecks = (
  recording: Recording,
  checks: readonly Check[] = UNPAID_CHECKS,
): Finding[] =>
  checks.flatMap(({ id, severity, title, run }) => {
    const verdict = run(recording);
    return verdict.state === "skip" ? [] : [{ id, severity, title, ...verdict }];
  });

/** Runs checks on a recording, with the skipped ones and the exchange that each one used. */
export const reportChecks = (
  recording: Recording,
  checks: readonly Check[] = ALL_CHECKS,
): DoctorFinding[] =>
  checks.map((check) => {
    const { id, severity, title } = check;
    const verdict = check.run(recording);
    const shown = check.seen ? check.seen(recording) : seenUnpaid(recording);
    return {
      id,
      severity,
      title,
      ...verdict,
      ...(verdict.state !== "skip" && shown && describeSeen(shown)),
    };
  });

export const faultsOf = (findings: readonly Finding[], severity?: Severity): Finding[] =>
  findings.filter((one) => one.state === "fail" && (!severity || one.severity === severity));

const seenUnpaid = ({ ask }: Recording): Seen => ({ exchange: ask, how: "without a token" });

function describeSeen({ exchange, how }: Seen): { asked: string; came: string } {
  const { method, url, outcome } = exchange;
  const answer = answerOf(exchange);
  return {
    asked: `${method} ${url}, ${how}`,
    came: answer
      ? `${answer.status} in ${answer.ms} ms`
      : outcome.kind === "answered"
        ? ""
        : outcome.message,
  };
}
