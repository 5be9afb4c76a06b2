import { PaymentsError } from "../protocol/errors.ts";
import type { Connection } from "./connection.ts";
import type { ServiceAnswer, ServiceRequest } from "./service-request.ts";
import { letGo } from "./waiting/let-go.ts";
import { MAX_TIMER_MS } from "./waiting/max-timer.ts";

/** A whole HTTP answer, read to its end. */
export type Answer = Omit<ServiceAnswer, "text"> & { text: string };

type Attempt = { url: string; init: ServiceRequest; timeoutMs: number; subject: string };

/**
 * Sends a request and reads its answer, both within the time. Throws `timeout` or `network_error`;
 * after either, it is unknown whether the service acted.
 */
export async function sendWithin(
  connection: Pick<Connection, "baseUrl" | "send">,
  { url, init, timeoutMs, subject }: Attempt,
): Promise<Answer> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Raced, not only aborted: a replaced `fetch` may not heed the signal.
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        reject(
          new PaymentsError("timeout", `${subject} had no answer within ${timeoutMs / 1000} s.`),
        );
        controller.abort();
      },
      Math.min(timeoutMs, MAX_TIMER_MS),
    );
    if (init.isBackground) letGo(timer);
  });
  const answered = (async () => {
    const response = await connection.send(url, init, controller.signal);
    return { status: response.status, headers: response.headers, text: await response.text() };
  })();
  try {
    return await Promise.race([answered, tooLate]);
  } catch (error) {
    if (PaymentsError.is(error)) throw error;
    throw new PaymentsError(
      "network_error",
      `${subject} did not reach ${connection.baseUrl}: ${reasonOf(error)}.`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
  }
}

// The platform's "fetch failed" hides the reason one level down.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) {
    const { code } = cause as { code?: unknown };
    return cause.message || (typeof code === "string" ? code : error.message);
  }
  return error.message;
}
