import { ANSWER_CHECKS } from "./answer-checks.ts";
import type { Check, Recording, Severity } from "./check.ts";
import { DEFINITION_CHECKS } from "./definition-checks.ts";
import { ENVELOPE_CHECKS } from "./envelope-checks.ts";

/** Every check that needs no token, in the order of their ids. */
export const UNPAID_CHECKS: readonly Check[] = [
  ...ANSWER_CHECKS,
  ...ENVELOPE_CHECKS,
  ...DEFINITION_CHECKS,
].sort((one, other) => one.id.localeCompare(other.id));

/** What one check found. */
export type Finding = {
  id: string;
  severity: Severity;
  title: string;
  state: "pass" | "fail";
  sentence: string;
  fix?: string;
};

/** What the checks find in a recording; those that have nothing to judge say nothing. */
export const runChecks = (
  recording: Recording,
  checks: readonly Check[] = UNPAID_CHECKS,
): Finding[] =>
  checks.flatMap(({ id, severity, title, run }) => {
    const verdict = run(recording);
    return verdict.state === "skip" ? [] : [{ id, severity, title, ...verdict }];
  });

export const faultsOf = (findings: readonly Finding[], severity?: Severity): Finding[] =>
  findings.filter((one) => one.state === "fail" && (!severity || one.severity === severity));
