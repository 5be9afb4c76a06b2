import { type Operation, PaymentsError } from "@turnpike/payments/protocol";
import type { Log } from "@/lib/domain/ports.ts";

export type OperationEvent = {
  name: string;
  span: Operation["span"];
  /** Milliseconds since 1970. */
  startedAt: number;
  durationMs: number;
  input: unknown;
  result: { answer: unknown } | { error: unknown };
};

/** Receives operations after they ran. It is not awaited, and what it throws is logged. */
export type OperationObserver = (event: OperationEvent) => void;

/** Several observers of `what` as one; undefined for none, so that nothing is measured needlessly. */
export function joinObservers<Event>(
  what: string,
  observers: readonly ((event: Event) => void)[],
  log: Log,
): ((event: Event) => void) | undefined {
  if (observers.length === 0) return undefined;
  return (event) => {
    for (const observe of observers) {
      try {
        observe(event);
      } catch (cause) {
        log.warn({ cause: String(cause) }, `an observer of ${what} failed`);
      }
    }
  };
}

export const answerOf = (result: OperationEvent["result"]): Record<string, unknown> =>
  ("answer" in result && (result.answer as Record<string, unknown> | undefined)) || {};

/** The code of what an operation threw, or the reason that its answer gives for a refusal; null for neither. */
export function failureOf(result: OperationEvent["result"]): string | null {
  if ("error" in result) return PaymentsError.is(result.error) ? result.error.code : "internal";
  const { isValid, success, invalidReason, errorReason } = answerOf(result);
  if (isValid !== false && success !== false) return null;
  return String(invalidReason ?? errorReason);
}

/** Runs an operation and reports it to the observer; answers and throws as the operation does. */
export async function observed<Answer>(
  observe: OperationObserver | undefined,
  about: Pick<OperationEvent, "name" | "span" | "input">,
  run: () => Promise<Answer>,
): Promise<Answer> {
  if (!observe) return run();
  const startedAt = Date.now();
  const start = performance.now();
  const report = (result: OperationEvent["result"]) =>
    observe({ startedAt, durationMs: performance.now() - start, result, ...about });
  try {
    const answer = await run();
    report({ answer });
    return answer;
  } catch (error) {
    report({ error });
    throw error;
  }
}
