import type { RemovedPart, SharedRun } from "@/lib/console/shared-run.ts";
import type { HeaderLine } from "./exchange.ts";
import { isSecretHeader, MAX_BODY, redactRun, withCleanExchanges } from "./redact.ts";
import type { Run } from "./run.ts";
import { scrubAll } from "./scrub-text.ts";

/**
 * A run that anyone may see, and what was removed from it: in addition to `redactRun`, anything that looks like a
 * token, key, login or email address. Redacting twice changes nothing.
 */
export function redactForShare(run: Run): { run: SharedRun; removed: RemovedPart[] } {
  const { input, ...rest } = redactRun(run);
  const { method, url, headers, body } = input;
  const shared = { ...rest, input: { method, url, headers, body } } as unknown as SharedRun;
  return redactShared(shared, listRemoved(run));
}

/** The same for a run received from a browser. */
export function redactShared(
  given: SharedRun,
  known: readonly RemovedPart[] = [],
): { run: SharedRun; removed: RemovedPart[] } {
  const removed = new Map(known.map((part) => [`${part.what} ${part.where}`, part]));
  const scrub = <T>(value: T, where: string): T =>
    scrubAll(value, (what) => removed.set(`${what} ${where}`, { what, where }));
  const clean = withCleanExchanges(given);
  const run: SharedRun = {
    ...clean,
    input: scrub(clean.input, "request"),
    planName: scrub(clean.planName, "plan"),
    requirement: scrub(clean.requirement, "offer"),
    steps: clean.steps.map(({ exchange, values, facts, ...step }) => ({
      ...step,
      values: scrub(values, "explanation"),
      facts: scrub(facts, "explanation"),
      exchange: exchange && {
        ...exchange,
        request: scrub(exchange.request, "request"),
        answer: scrub(exchange.answer, "answer"),
        failure: scrub(exchange.failure, "answer"),
      },
    })),
  };
  return { run, removed: [...removed.values()] };
}

function listRemoved({ steps, input }: Run): RemovedPart[] {
  const secrets = (headers: readonly HeaderLine[] = [], where: string): RemovedPart[] =>
    headers.flatMap(([what]) => (isSecretHeader(what) ? [{ what, where }] : []));
  const ofSteps = steps.flatMap(({ exchange }) => {
    const isLong = (exchange?.answer?.body.length ?? 0) > MAX_BODY;
    return [
      ...secrets(exchange?.request.headers, "request"),
      ...secrets(exchange?.answer?.headers, "answer"),
      ...(isLong ? [{ what: "the end of a long body", where: "answer" }] : []),
    ];
  });
  return [...ofSteps, ...secrets(input.headers, "request")];
}
