import type { Delivering } from "./deliver.ts";
import { withoutToken } from "./headers.ts";

/** The work had no answer in its time. */
export class WorkTimeout extends Error {
  readonly timeoutMs: number;
  constructor(timeoutMs: number) {
    super(`The agent had no answer within ${timeoutMs / 1000} s.`);
    this.timeoutMs = timeoutMs;
  }
}

/** The work's answer. Throws what the work throws, or {@link WorkTimeout}; then its signal is aborted. */
export async function runWork(given: Delivering): Promise<Response> {
  const { request, work, payment, pass, timeoutMs } = given;
  const endWork = pass.startWork();
  try {
    if (timeoutMs === undefined) return await work(withoutToken(request), payment);
    const late = new AbortController();
    const signal = AbortSignal.any([request.signal, late.signal]);
    const working = Promise.resolve(work(new Request(withoutToken(request), { signal }), payment));
    return await within(timeoutMs, working, late);
  } finally {
    endWork();
  }
}

async function within(
  timeoutMs: number,
  working: Promise<Response>,
  late: AbortController,
): Promise<Response> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new WorkTimeout(timeoutMs);
      reject(error);
      late.abort(error);
      // An answer that comes all the same is nobody's.
      working.then((response) => response.body?.cancel()).catch(() => {});
    }, timeoutMs);
  });
  return Promise.race([working, tooLate]).finally(() => clearTimeout(timer));
}
