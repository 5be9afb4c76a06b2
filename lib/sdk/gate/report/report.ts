import { randomId } from "../../client/random-id.ts";
import { letGo } from "../../client/waiting/let-go.ts";
import { MAX_REPORTED_REQUESTS, ReportedRequest } from "../../protocol/activity.ts";
import { PaymentsError } from "../../protocol/errors.ts";
import type { InputOf } from "../../protocol/operations.ts";
import type { GateObserver, RequestEvent } from "../observe.ts";
import { isTemporary } from "../queue/retry.ts";

export type Report = InputOf<"reportRequests">;
type Reported = Report["requests"][number];

/** How long requests are collected before they are sent together. */
const DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
// Drop a report after this many tries, and keep backing off until the service answers.
const MAX_TRIES = 5;
// Per second. Of settled calls beyond these the service knows what was paid, but not how long they took.
const MAX_SETTLED = 1000;
// Permanent: the service does not take reports, or not with this key.
const FINAL: readonly string[] = ["not_found", "unauthorized", "forbidden", "wrong_environment"];

/**
 * Reports to the service, in batches and in the background, what only the gate sees: challenges,
 * refusals, answers that were not charged, and all timings. It never delays or fails a request; what
 * cannot be sent, or is more than `maxWaiting`, is dropped, oldest first.
 */
export function createReporter(
  sendReport: (report: Report) => Promise<unknown>,
  { maxWaiting = 2000 } = {},
): GateObserver {
  const waiting: RequestEvent[] = [];
  let second = 0;
  let settled = 0;
  let isScheduled = false;
  let isOff = false;
  let failures = 0;
  let unanswered: Report | null = null;

  /** Whether a settled call is one of the first of its second. */
  function isOfFirst(): boolean {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) settled = 0;
    second = now;
    settled += 1;
    return settled <= MAX_SETTLED;
  }

  function schedule(): void {
    if (isScheduled || (waiting.length === 0 && !unanswered)) return;
    isScheduled = true;
    // A full batch has nothing to wait for.
    const isFull = failures === 0 && waiting.length >= MAX_REPORTED_REQUESTS;
    letGo(setTimeout(send, isFull ? 0 : Math.min(DELAY_MS * 2 ** failures, MAX_DELAY_MS)));
  }

  async function send(): Promise<void> {
    const report = unanswered ?? {
      batchId: randomId("rep_"),
      requests: waiting.splice(0, MAX_REPORTED_REQUESTS).map(toReported).filter(isTaken),
    };
    unanswered = null;
    try {
      if (report.requests.length > 0) await sendReport(report);
      failures = 0;
    } catch (error) {
      failures += 1;
      isOff = PaymentsError.is(error) && FINAL.includes(error.code);
      // The service may have counted it; under its batch id it counts once.
      if (isTemporary(error) && failures < MAX_TRIES) unanswered = report;
    }
    isScheduled = false;
    if (isOff) waiting.length = 0;
    schedule();
  }

  return (event) => {
    if (isOff || event.type !== "request" || event.route === undefined) return;
    const isServed = event.moneyStatus === "settled" && event.httpStatus < 400;
    if (isServed && !isOfFirst()) return;
    waiting.push(event);
    if (waiting.length > maxWaiting) waiting.shift();
    schedule();
  };
}

/** A status beyond 599, or an agent's id of another form: the service would refuse the others with it. */
const isTaken = (request: Reported): boolean => ReportedRequest.safeParse(request).success;

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
