import { createTtlCache } from "../client/ttl-cache.ts";
import type { Payment } from "../gate/payment.ts";
import { runWithin } from "../gate/run-within.ts";

/** How long a paid call waits for its user, as long as the memory keeps its answer. */
const WAITING_MS = 86_400_000;
const MAX_WAITING = 1000;

type Waiting<Result> = { payment: Payment; again?: Promise<Result> };

/** Calls of one process that were paid before they asked their user to open a page: a repeat runs for the same payment. */
export function createAsking<Result extends object>(
  timeoutMs: number | undefined,
  {
    failed,
    isDelivered,
  }: { failed(text: string): Result; isDelivered(result: Result): Promise<boolean> },
) {
  const waiting = createTtlCache<Waiting<Result>>(WAITING_MS, MAX_WAITING);

  async function runOnce(
    call: Waiting<Result>,
    run: (payment: Payment) => Promise<Result>,
  ): Promise<Result> {
    let hasDelivered = false;
    try {
      const result = await run(call.payment);
      hasDelivered = await isDelivered(result);
      return result;
    } finally {
      if (!hasDelivered) delete call.again;
    }
  }

  return {
    /** A run for a repeat may ask once more, after its time, too. */
    wait(payment: Payment) {
      const { agentRequestId } = payment;
      if (!waiting.get(agentRequestId)) waiting.set(agentRequestId, { payment });
    },

    /** Runs for what was paid, once for all repeats, each of which waits no longer than for any run; again where it failed. */
    runAgain(
      requestId: string | undefined,
      run: (payment: Payment) => Promise<Result>,
    ): Promise<Result> | undefined {
      const call = waiting.get(requestId ?? "");
      if (!call) return undefined;
      call.again ??= runOnce(call, run);
      const { again } = call;
      return runWithin(timeoutMs, { run: () => again, discard: () => {} }).catch((error: Error) =>
        failed(error.message),
      );
    },
  };
}
