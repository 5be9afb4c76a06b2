import { isExactOffer } from "../protocol/exact/exact-payload.ts";
import type { Settlement } from "../protocol/permission.ts";
import type { Charge, OnFailure } from "./charge.ts";
import type { Logger } from "./logger.ts";
import type { Outcome, PaidCall } from "./paid-call.ts";
import type { Payment } from "./payment.ts";
import { endRefused, type Refusal, timedOut, withholdAnswer, workFailed } from "./refusals.ts";
import { type RequestRecord, startClock } from "./request-record.ts";
import type { Route } from "./routes.ts";
import { runWithin, WorkTimeout } from "./run-within.ts";
import type { StreamEnd } from "./watch-stream.ts";

/** An authorized call, and what it takes to run and to charge it. */
export type PaidWork<Input, Answer> = {
  call: PaidCall<Input, Answer>;
  route: Route<Input>;
  isDelivered: (answer: Answer) => boolean;
  payment: Payment;
  charge: Charge;
  /** Whether the same request with the same payment by `exact` is known again. */
  isRepeatable: boolean;
  record: RequestRecord;
  mode: "after" | "strict" | "before";
  timeoutMs: number | undefined;
  /** Keeps the answer before it is paid, in case this process dies before it is delivered; tells whether it is kept. Never throws. */
  keepOwed?: ((answer: Answer) => Promise<() => boolean>) | null | undefined;
  logger: Logger;
};

/**
 * Runs the work and closes its charge: credits are burned exactly when the work has succeeded, whether or not
 * the caller is still there (§3 steps 5 to 9). A stream is charged once something of it was delivered.
 */
export async function runPaidWork<Input, Answer>(
  paid: PaidWork<Input, Answer>,
): Promise<Outcome<Answer>> {
  const { call, route, isDelivered, payment, charge, record, isRepeatable } = paid;
  const { agentRequestId, verification } = payment;
  // A wallet pays after the work: what it did not pay for is withheld, as every x402 server does.
  const mode = paid.mode === "after" && isExactOffer(verification) ? "strict" : paid.mode;
  const prepaid = mode === "before" ? await settle(paid, "release") : null;
  if (prepaid?.success === false) {
    return endRefused(record, withholdAnswer(prepaid, agentRequestId, isRepeatable));
  }

  let answer: Answer;
  let extent: "whole" | "flowing" = "whole";
  try {
    answer = await runWork(paid);
    const httpStatus = call.statusOf(answer);
    const hasDelivered = isDelivered(answer);
    // 8. No settle
    if (!hasDelivered && !prepaid) {
      await endUncharged(paid, { httpStatus, reason: `status_${httpStatus}` });
      return { kind: "not-charged", answer, agentRequestId };
    }
    if (call.hold) extent = await call.hold(answer, mode === "strict");
    if (prepaid) {
      record.end({ moneyStatus: "settled", httpStatus });
      const settlement = { ...prepaid, outcome: hasDelivered ? SUCCEEDED : FAILED };
      return { kind: "delivered", answer, agentRequestId, settlement };
    }
    // By truth, as of a stream: a check may return what it looked for.
    if (
      extent === "whole" &&
      call.hasSucceeded &&
      !(await call.hasSucceeded(answer, route.isSuccess))
    ) {
      const settlement = await endFailedWork(paid, httpStatus);
      return { kind: "not-charged", answer, agentRequestId, settlement };
    }
  } catch (error) {
    return await endThrown(paid, error, prepaid);
  }

  const httpStatus = call.statusOf(answer);
  if (mode === "after" && extent === "flowing") {
    const { isSuccess } = route;
    const end = (how: StreamEnd) => endFlow(paid, httpStatus, how);
    return { kind: "flowing", answer, agentRequestId, isSuccess, begin: charge.note, end };
  }
  const askKept = extent === "whole" && (await paid.keepOwed?.(answer));
  // A slow store may have it only once the settlement has failed.
  let isKept = false;
  const noteKept = () => (isKept = !!askKept && askKept());
  // 6. Settle, 7. Settle fails
  const settlement = await settle(paid, mode === "strict" ? "release" : "retry", noteKept);
  if (mode === "strict" && !settlement.success) {
    await call.discard?.(answer);
    return endRefused(record, withholdAnswer(settlement, agentRequestId, isRepeatable || isKept));
  }
  const settled = endSettled(record, { httpStatus }, settlement);
  // What still flows may report a failure, so its receipt claims no success.
  const receipt = extent === "whole" ? settled : settlement;
  return { kind: "delivered", answer, agentRequestId, settlement: receipt };
}

const SUCCEEDED = "succeeded" as const;
const FAILED = "failed" as const;

async function runWork<Input, Answer>({
  call,
  payment,
  record,
  timeoutMs,
}: PaidWork<Input, Answer>): Promise<Answer> {
  const readClock = startClock();
  try {
    return await runWithin(timeoutMs, {
      run: (late) => call.run(payment, late),
      discard: (answer) => call.discard?.(answer),
    });
  } finally {
    record.add({ work: readClock() });
  }
}

type Closing = Pick<PaidWork<never, never>, "charge" | "payment" | "record">;

async function settle(
  { charge, record }: Closing,
  onFailure: OnFailure,
  isKept?: () => boolean,
): Promise<Settlement> {
  const readClock = startClock();
  const settlement = await charge.settle(onFailure, isKept);
  record.add({ settle: { settlement, ...readClock() } });
  return settlement;
}

/** What reached the caller before a stream broke off is delivered, so it is charged; failed work is not. */
async function endFlow(
  closing: Closing,
  httpStatus: number,
  how: StreamEnd,
): Promise<Settlement | null> {
  if (how === "failed") return endFailedWork(closing, httpStatus);
  if (how === "nothing") {
    await endUncharged(closing, { httpStatus, reason: "nothing_delivered" });
    return null;
  }
  const cut = how === "partial" ? { reason: "cut_off" } : {};
  return endSettled(closing.record, { httpStatus, ...cut }, await settle(closing, "retry"));
}

/** Work that answered 2xx and reported a failure: no charge, and a receipt that says so. */
async function endFailedWork(closing: Closing, httpStatus: number): Promise<Settlement> {
  await endUncharged(closing, { httpStatus, reason: "work_failed" });
  const { agentRequestId, payer, verification } = closing.payment;
  return {
    success: false,
    errorReason: "work_failed",
    errorMessage: "The work failed, so nothing was charged.",
    outcome: FAILED,
    payer,
    transaction: "",
    network: verification.network,
    agentRequestId,
    error: "work_failed",
  };
}

/**
 * Work that threw, broke off or timed out: no charge. Its error is thrown on, unless the gate is to answer it (§3 step 9), or it was
 * paid before: another answer has no receipt.
 */
async function endThrown<Input, Answer>(
  {
    call,
    charge,
    payment,
    record,
    logger,
  }: Closing & Pick<PaidWork<Input, Answer>, "call" | "logger">,
  error: unknown,
  prepaid: Settlement | null,
): Promise<Refusal> {
  if (!prepaid) await charge.release();
  const moneyStatus = prepaid ? "settled" : "not-charged";
  const isLate = error instanceof WorkTimeout;
  const refusal = isLate ? timedOut(error.timeoutMs, prepaid !== null) : workFailed();
  const reason = isLate ? refusal.body.code : "exception";
  record.end({ moneyStatus, httpStatus: refusal.httpStatus, reason });
  const { agentRequestId } = payment;
  if (!isLate) {
    if (!call.onError && !prepaid) throw error;
    if (call.onError) call.onError(error);
    else logger.error("The work failed.", { agentRequestId, reason: stackOf(error) });
  }
  return {
    ...refusal,
    agentRequestId,
    ...(prepaid && { settlement: { ...prepaid, outcome: FAILED } }),
  };
}

const stackOf = (error: unknown): string =>
  (error instanceof Error && error.stack) || String(error);

async function endUncharged(
  { charge, record }: Closing,
  outcome: { httpStatus: number; reason: string },
): Promise<void> {
  await charge.release();
  record.end({ moneyStatus: "not-charged", ...outcome });
}

/** The receipt of work that succeeded. */
function endSettled(
  record: RequestRecord,
  answered: { httpStatus: number; reason?: string },
  settlement: Settlement,
): Settlement {
  record.end({
    ...answered,
    ...(settlement.success
      ? { moneyStatus: "settled" }
      : { moneyStatus: "delivered-unsettled", reason: settlement.errorReason }),
  });
  return { outcome: SUCCEEDED, ...settlement };
}
