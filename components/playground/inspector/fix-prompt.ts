import { describeOutcome } from "@/lib/playground/outcomes.ts";
import { redactRun } from "@/lib/playground/redact.ts";
import { type Run, STEPS } from "@/lib/playground/run.ts";

/** A prompt for fixing the agent: what failed, the offer and what was expected. Contains no secrets. */
export function fixPromptOf(run: Run): string {
  const clean = redactRun(run);
  const findings = clean.steps.flatMap((step) => {
    if (!step.outcome || step.status === "skipped") return [];
    const { verdict, rule, spec, next } = describeOutcome(step.outcome, step.values);
    const title = STEPS.find(({ id }) => id === step.id)?.title ?? step.id;
    const failed = step.facts
      .filter(({ holds }) => holds === false)
      .map(({ name, value, note }) => `   - ${name}: ${value || "(none)"}, ${note}`);
    return [
      `${title}: ${step.outcome}. ${verdict}`,
      ...(step.status === "ok" ? [] : [`   Rule (${spec}): ${rule}`, `   Next: ${next}`]),
      ...failed,
    ];
  });
  return [
    `My HTTP endpoint ${clean.input.method} ${clean.input.url} is an x402 version 2 agent behind a Turnpike gate.`,
    "A playground run found these problems:",
    "",
    ...findings,
    "",
    "The offer it sent:",
    JSON.stringify(clean.requirement, null, 2),
    "",
    "Fix the endpoint so that every step above succeeds. Do not weaken the gate.",
  ].join("\n");
}
