import type { Operation } from "@turnpike/payments/protocol";
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

/** Several observers as one; undefined for none, so that nothing is measured needlessly. */
export function joinObservers(
  observers: readonly (OperationObserver | undefined)[],
  log: Log,
): OperationObserver | undefined {
  const present = observers.filter((observe) => observe !== undefined);
  if (present.length === 0) return undefined;
  return (event) => {
    for (const observe of present) {
      try {
        observe(event);
      } catch (cause) {
        log.warn({ cause: String(cause) }, "an observer of operations failed");
      }
    }
  };
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
    observe({ ...about, startedAt, durationMs: performance.now() - start, result });
  try {
    const answer = await run();
    report({ answer });
    return answer;
  } catch (error) {
    report({ error });
    throw error;
  }
}
