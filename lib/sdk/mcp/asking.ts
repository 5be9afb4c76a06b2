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
  }: { failed(text: string): Result; isDelivered(result: Result): boolean | undefined },
) {
  const waiting = createTtlCache<Waiting<Result>>(WAITING_MS, MAX_WAITING);
  return {
    wait: (payment: Payment) => waiting.set(payment.agentRequestId, { payment }),

    /** Runs for what was paid, once for all repeats; again where it failed, because a caller may have left. */
    runAgain(
      requestId: string | undefined,
      run: (payment: Payment) => Promise<Result>,
    ): Promise<Result> | undefined {
      const call = waiting.get(requestId ?? "");
      if (!call) return undefined;
      call.again ??= runWithin(timeoutMs, { run: () => run(call.payment), discard: () => {} })
        .catch((error: Error) => failed(error.message))
        .then((result) => {
          if (!isDelivered(result)) delete call.again;
          return result;
        });
      return call.again;
    },
  };
}
