import { call } from "../client/call.ts";
import type { Connection } from "../client/connection.ts";
import { randomId } from "../client/random-id.ts";
import { MAX_REPORTED_REQUESTS } from "../protocol/activity.ts";
import { PaymentsError } from "../protocol/errors.ts";
import type { InputOf } from "../protocol/operations.ts";
import type { GateObserver, RequestEvent } from "./observe.ts";
import { letGo } from "./queue/retry.ts";

type Report = InputOf<"reportRequests">;
type Reported = Report["requests"][number];

export type ReporterOptions = {
  /** How long requests are collected before they are sent together. Default 1 000. */
  delayMs?: number;
  /** How many may wait; beyond it the oldest are dropped. Default 2 000. */
  maxWaiting?: number;
};

const MAX_DELAY_MS = 60_000;
// Old news make room; the delay stays long until the service is back.
const MAX_TRIES = 5;
const CALL = { timeoutMs: 10_000, maxRetries: 0 };
// These will not pass: the service does not take reports, or not from this key.
const FINAL: readonly string[] = ["not_found", "unauthorized", "forbidden", "wrong_environment"];

/**
 * Tells the service what only the gate can know, in batches and in the background: challenges,
 * refusals, answers that were not charged, and all times. It never delays or fails a request; what
 * cannot be sent is dropped, the oldest first.
 */
export function createReporter(
  connection: Connection,
  { delayMs = 1000, maxWaiting = 2000 }: ReporterOptions = {},
): GateObserver {
  const waiting: Reported[] = [];
  let isScheduled = false;
  let isOff = false;
  let failures = 0;
  let unheard: Report | null = null;

  function schedule(): void {
    if (isScheduled || (waiting.length === 0 && !unheard)) return;
    isScheduled = true;
    letGo(setTimeout(send, Math.min(delayMs * 2 ** failures, MAX_DELAY_MS)));
  }

  async function send(): Promise<void> {
    const requests = unheard?.requests ?? waiting.splice(0, MAX_REPORTED_REQUESTS);
    const report = unheard ?? { batchId: randomId("rep_"), requests };
    unheard = null;
    try {
      await call(connection, "reportRequests", report, CALL);
      failures = 0;
    } catch (error) {
      failures += 1;
      isOff = PaymentsError.is(error) && FINAL.includes(error.code);
      // The service may have heard it: under its name the same batch counts once.
      if (isPassing(error) && failures < MAX_TRIES) unheard = report;
    }
    isScheduled = false;
    if (isOff) waiting.length = 0;
    schedule();
  }

  function drop(): void {
    if (waiting.length > maxWaiting) waiting.splice(0, waiting.length - maxWaiting);
  }

  return (event) => {
    if (isOff || event.type !== "request" || event.route === undefined) return;
    waiting.push(toReported(event));
    drop();
    schedule();
  };
}

const isPassing = (error: unknown) =>
  PaymentsError.is(error) &&
  (["network_error", "timeout"].includes(error.code) || error.httpStatus >= 429);

function toReported(event: RequestEvent): Reported {
  const { agentRequestId, method, path, agentId, httpStatus, moneyStatus, reason } = event;
  const planId = event.planId ?? event.planIds[0];
  return {
    ...(agentRequestId && { agentRequestId }),
    at: new Date(event.startedAt).toISOString(),
    method,
    path: path.slice(0, MAX_PATH),
    ...(planId && { planId }),
    ...(agentId && { agentId }),
    httpStatus,
    moneyStatus,
    ...(reason && { reason }),
    ...(event.verify && { verifyMs: toMillis(event.verify.durationMs) }),
    ...(event.work && { workMs: toMillis(event.work.durationMs) }),
    ...(event.settle && { settleMs: toMillis(event.settle.durationMs) }),
  };
}

const MAX_PATH = 512;
const MAX_MILLIS = 86_400_000;
const toMillis = (ms: number) => Math.min(Math.max(0, Math.round(ms * 100) / 100), MAX_MILLIS);
