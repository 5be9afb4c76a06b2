import { isOfProxy, readBody } from "../paid-response.ts";
import { pause } from "../waiting/pause.ts";

/** As long as the reservation of a gate that died. */
const REPEAT_MS = 300_000;
const EVERY_MS = 1_000;

/**
 * Asks for a lost reply again: once where the connection broke, and, where its seller knows a repeat by its key (`isNamed`), for up to
 * five minutes while the work goes on that a proxy did not wait for. Answers that leave open whether the call is paid do not take the
 * place of the proxy's.
 */
export const repeating =
  <Payment>(
    once: (payment: Payment) => Promise<Response>,
    { signal, isNamed }: { signal: AbortSignal; isNamed: boolean },
  ) =>
  async (payment: Payment): Promise<Response> => {
    const until = Date.now() + REPEAT_MS;
    const lost = await once(payment).catch((error) => {
      if (signal.aborted) throw error;
      return null;
    });
    if (lost && !(isNamed && (await isOfProxy(lost)))) return lost;
    for (;;) {
      const startedAt = Date.now();
      const answer = await once(payment).catch((error) => {
        if (signal.aborted || !lost) throw error;
        return lost;
      });
      const { status } = answer;
      const isRunning =
        (status === 504 && (await isOfProxy(answer))) ||
        (status === 409 && (await readBody(answer))?.retryable === true);
      if (!isRunning || Date.now() >= until) return status === 409 && lost ? lost : answer;
      void answer.body?.cancel().catch(() => {});
      await pause(Math.max(0, startedAt + EVERY_MS - Date.now()), signal);
    }
  };
