import { letGo } from "../../client/waiting/let-go.ts";
import { PaymentsError } from "../../protocol/errors.ts";
import type { GiveUp, RunJob, SettlementJob } from "./settlement-queue.ts";

/** How a queue retries settlements. Delays are in milliseconds. */
export type RetryOptions = {
  /** Delay before the first retry, doubled for each further one. Default 1 000. */
  firstDelayMs?: number;
  /** The longest delay. Default 60 000. */
  maxDelayMs?: number;
  /** How often a job without a known outcome is tried. */
  maxAttempts?: number;
};

// Insufficient credits may arrive soon; after some ten minutes, give up.
const MAX_DECLINES = 15;

/** Whether a failed call may succeed when it is repeated, and may also have acted: all but the service's own refusal. */
export const isTemporary = (error: unknown): boolean =>
  !PaymentsError.is(error) ||
  error.httpStatus >= 500 ||
  ["rate_limited", "network_error", "timeout", "invalid_answer"].includes(error.code);

/** Retries a job with growing delays, until it is done, refused, or given up. */
export async function retryJob(
  job: SettlementJob,
  run: RunJob,
  giveUp: GiveUp,
  options: RetryOptions & { maxAttempts: number },
): Promise<void> {
  const { firstDelayMs = 1000, maxDelayMs = 60_000, maxAttempts } = options;
  let declines = 0;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    await pause(Math.min(firstDelayMs * 2 ** attempt, maxDelayMs));
    const outcome = await run(job).catch(() => "again" as const);
    if (outcome === "done" || outcome === "refused") return;
    if (outcome === "declined") declines += 1;
    if (declines === MAX_DECLINES) return giveUp(job, `declined ${declines} times`);
  }
  giveUp(job, `tried ${maxAttempts} times`);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    letGo(setTimeout(resolve, ms));
  });
}
