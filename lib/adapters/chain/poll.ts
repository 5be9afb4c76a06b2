import { setTimeout as sleep } from "node:timers/promises";

/**
 * Polls until there is a result, fast at first and slower later. Returns `undefined` on timeout.
 *
 * Not viem's own waiting, which missed receipts on chains that mine a block per transaction.
 */
export async function pollUntil<Answer>(
  ask: () => Promise<Answer | undefined>,
  options: { timeoutMs: number; firstMs?: number; maxMs?: number },
): Promise<Answer | undefined> {
  const end = performance.now() + options.timeoutMs;
  let wait = options.firstMs ?? 2;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() >= end) return undefined;
    await sleep(Math.min(wait, Math.max(0, end - performance.now())));
    wait = Math.min(wait * 1.5, options.maxMs ?? 500);
  }
}
