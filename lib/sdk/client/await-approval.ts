import * as z from "zod/mini";
import { budgets } from "../protocol/operations/budgets.ts";
import type { Connection } from "./connection.ts";
import { createOperations } from "./create-operations.ts";

const Waiting = z.object({ approval: z.object({ approvalId: z.string() }) });

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Waits until a person has decided about the request that a gate refused with this body: whether they approved it in time.
 * False at once for any other refusal. Asks less often the longer it takes. Rejects when `signal` aborts.
 */
export async function isApproved(
  connection: Connection,
  body: unknown,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<boolean> {
  const waiting = Waiting.safeParse(body);
  if (!waiting.success) return false;
  const { approvalId } = waiting.data.approval;
  const { getApproval } = createOperations(connection, { getApproval: budgets.getApproval });
  const until = performance.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const left = until - performance.now();
    if (left <= 0) return false;
    await pause(Math.min(pauseMs, left), signal);
    const { status } = await getApproval(approvalId);
    if (status !== "pending") return status === "approved";
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
