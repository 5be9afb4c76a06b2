import { describeOutcome } from "@/lib/playground/outcomes.ts";
import { redactRun } from "@/lib/playground/redact.ts";
import { type Run, STEPS } from "@/lib/playground/run.ts";

/** What went wrong, for whoever mends the agent: ids, the offer, what was expected. No secrets. */
export function fixPromptOf(run: Run): string {
  const clean = redactRun(run);
  const told = clean.steps.flatMap((step) => {
    if (!step.outcome || step.status === "skipped") return [];
    const { verdict, rule, spec, next } = describeOutcome(step.outcome, step.values);
    const title = STEPS.find(({ id }) => id === step.id)?.title ?? step.id;
    const faults = step.facts
      .filter(({ holds }) => holds === false)
      .map(({ name, value, note }) => `   - ${name}: ${value || "(none)"}, ${note}`);
    return [
      `${title}: ${step.outcome}. ${verdict}`,
      ...(step.status === "ok" ? [] : [`   Rule (${spec}): ${rule}`, `   To do: ${next}`]),
      ...faults,
    ];
  });
  return [
    `My HTTP endpoint ${clean.input.method} ${clean.input.url} is an x402 version 2 agent behind a Turnpike gate.`,
    "A run of the playground found this:",
    "",
    ...told,
    "",
    "The offer it sent:",
    JSON.stringify(clean.requirement, null, 2),
    "",
    "Mend the endpoint so that every step above holds. Do not weaken the gate.",
  ].join("\n");
}
