import { call } from "../client/call.ts";
import type { Payments } from "../client/payments.ts";
import { PaymentsError } from "../protocol/errors.ts";
import type { RoutePattern } from "../protocol/match-route.ts";
import type { Settlement } from "../protocol/permission.ts";
import { createAuthorizer } from "./authorize.ts";
import { type Charge, createCharges } from "./charge.ts";
import type { GateOptions } from "./gate-options.ts";
import { consoleLogger } from "./logger.ts";
import { joinObservers } from "./observe.ts";
import type { Payment } from "./payment.ts";
import { createDefaultQueue } from "./queue/default-queue.ts";
import {
  ambiguousPath,
  MONEY_STATUS_OF_REFUSAL,
  overriddenMethod,
  type Refusal,
  timedOut,
  withholdAnswer,
} from "./refusals.ts";
import { createReporter, type Report } from "./report.ts";
import { openRecord, type RequestRecord, startClock } from "./request-record.ts";
import type { Pricing } from "./requirement.ts";
import { compileRoutes, findRoute, type Route, type RouteMap } from "./routes.ts";
import { runWithin, WorkTimeout } from "./run-within.ts";
import type { StreamEnd } from "./watch-stream.ts";

/** A call that may have to be paid for, whatever protocol carried it. */
export type PaidCall<Input, Answer> = Pricing<Input> & {
  method: string;
  /** Decides the route: an absolute URL, or a path. */
  url: string;
  /** The access token as it was sent; `null` when none was. */
  token: string | null;
  /** Whether the request asks the app behind the gate to run another method; absent when it cannot. */
  overridesMethod?: (() => Promise<boolean>) | null;
  /** Runs the work. `late` is aborted when it runs out of time. */
  run(payment: Payment, late?: AbortSignal): Promise<Answer>;
  /** The status the answer has, or would have over HTTP: for events and reports. */
  statusOf(answer: Answer): number;
  /** Waits for the parts that are waited for: the answer is then whole, or still flowing. Default: whole. */
  hold?(answer: Answer): Promise<"whole" | "flowing">;
  /** Drops an answer the caller will not get. */
  discard?(answer: Answer): Promise<void>;
  /** Whether the caller has left, so that a whole answer cannot be delivered. */
  isGone?(): boolean;
};

/** What became of a call. */
export type Outcome<Answer> =
  | { kind: "not-gated" }
  | Refusal
  /** The work ran and did not deliver: nothing was charged. */
  | { kind: "not-charged"; answer: Answer; agentRequestId: string }
  /** The settlement of a delivered answer; `success: false` is retried in the background. */
  | { kind: "delivered"; answer: Answer; agentRequestId: string; settlement: Settlement }
  /** The answer is still being written. `end` is called when it is over, and settles what reached the caller. */
  | {
      kind: "flowing";
      answer: Answer;
      agentRequestId: string;
      end(how: StreamEnd): Promise<Settlement | null>;
    };

export type PaidCallOptions<Answer> = Pick<
  GateOptions,
  "settle" | "timeoutMs" | "queue" | "observe" | "report" | "logger"
> & {
  /** What counts as delivered, and so is charged. */
  isDelivered: (answer: Answer) => boolean;
};

const REPORT_CALL = { timeoutMs: 10_000, maxRetries: 0 };

/**
 * The gate without a transport: verify, work, settle (§3), each outcome a value. Adapters translate
 * their requests into calls, and outcomes into their answers. Throws `invalid_input` for routes it
 * could not guard; a call rejects only with what its work throws.
 */
export function createPaidCalls<Input, Answer>(
  payments: Payments,
  routes: RouteMap<Input>,
  options: PaidCallOptions<Answer>,
): (call: PaidCall<Input, Answer>) => Promise<Outcome<Answer>> {
  const { settle: mode = "after", logger = consoleLogger, timeoutMs, isDelivered } = options;
  if (!["after", "strict", "before"].includes(mode)) {
    throw new PaymentsError(
      "invalid_input",
      `Gate option \`settle\` is ${JSON.stringify(mode)}: use "after", "strict" or "before".`,
    );
  }
  const { connection, facilitator } = payments;
  const table = compileRoutes(routes, connection.schemeAliases).map((route) => ({
    ...route,
    isDelivered,
  }));
  const sendReport = (report: Report) => call(connection, "reportRequests", report, REPORT_CALL);
  const reporter = options.report === false ? undefined : createReporter(sendReport);
  const observe = joinObservers([options.observe, reporter], logger);
  const queue = options.queue ?? createDefaultQueue(connection, logger);
  const authorize = createAuthorizer(payments, logger);
  const createCharge = createCharges({ facilitator, queue, observe, logger });

  return async function runPaidCall(paidCall) {
    // 1. Match
    const route = findRoute(table, paidCall);
    const isOverridden = await overridesMethod(table, paidCall);
    if (!route && !isOverridden) return { kind: "not-gated" };
    const record = openRecord(observe, paidCall, route === "undecodable" ? null : route);
    if (route === "undecodable") return endRefused(record, ambiguousPath());
    if (!route || isOverridden) return endRefused(record, overriddenMethod());

    // 2. Requirement, 3. Token, 4. Verify
    const decision = await authorize(route, paidCall);
    record.add(decision.facts);
    if (decision.kind !== "authorized") return endRefused(record, decision);

    // 5. Work to 9. Exception
    const { payment, settleInput } = decision;
    const charge = createCharge(settleInput, payment);
    return runAndCharge({ call: paidCall, route, payment, charge, record, mode, timeoutMs });
  };
}

/** Whether the app could run a path of the table under a method that the gate does not see. */
const overridesMethod = async (
  table: readonly RoutePattern[],
  { overridesMethod: ask, url }: Pick<PaidCall<never, never>, "overridesMethod" | "url">,
): Promise<boolean> => !!ask && findRoute(table, { url }) !== null && (await ask());

/** An authorized call, and what it takes to run and to charge it. */
type RunningCall<Input, Answer> = {
  call: PaidCall<Input, Answer>;
  route: Route<Input> & { isDelivered: (answer: Answer) => boolean };
  payment: Payment;
  charge: Charge;
  record: RequestRecord;
  mode: "after" | "strict" | "before";
  timeoutMs: number | undefined;
};

/** Runs the work and closes its charge: credits are burned exactly when an answer is delivered (§3 steps 5 to 9). */
async function runAndCharge<Input, Answer>(
  running: RunningCall<Input, Answer>,
): Promise<Outcome<Answer>> {
  const { call, route, payment, record, mode } = running;
  const { agentRequestId } = payment;
  const prepaid = mode === "before" ? await settle(running, "release") : null;
  if (prepaid?.success === false) {
    return endRefused(record, withholdAnswer(prepaid, agentRequestId));
  }

  let answer: Answer;
  let extent: "whole" | "flowing" = "whole";
  try {
    answer = await runWork(running);
    const httpStatus = call.statusOf(answer);
    if (prepaid) {
      record.end({ moneyStatus: "settled", httpStatus });
      return { kind: "delivered", answer, agentRequestId, settlement: prepaid };
    }
    // 8. No settle
    if (!route.isDelivered(answer)) {
      await endUncharged(running, { httpStatus, reason: `status_${httpStatus}` });
      return { kind: "not-charged", answer, agentRequestId };
    }
    if (call.hold) extent = await call.hold(answer);
  } catch (error) {
    return await endFailed(running, error, prepaid);
  }

  const httpStatus = call.statusOf(answer);
  if (mode === "after" && extent === "flowing") {
    return {
      kind: "flowing",
      answer,
      agentRequestId,
      end: (how) => endFlow(running, httpStatus, how),
    };
  }
  if (mode === "after" && call.isGone?.()) {
    await endUncharged(running, { httpStatus, reason: "client_gone" });
    return { kind: "not-charged", answer, agentRequestId };
  }
  // 6. Settle, 7. Settle fails
  const settlement = await settle(running, mode === "strict" ? "release" : "retry");
  if (mode === "strict" && !settlement.success) {
    await call.discard?.(answer);
    return endRefused(record, withholdAnswer(settlement, agentRequestId));
  }
  endSettled(record, httpStatus, settlement);
  return { kind: "delivered", answer, agentRequestId, settlement };
}

async function runWork<Input, Answer>({
  call,
  payment,
  record,
  timeoutMs,
}: RunningCall<Input, Answer>): Promise<Answer> {
  const readClock = startClock();
  const run = (late?: AbortSignal) => call.run(payment, late);
  const discard = (answer: Answer) => call.discard?.(answer);
  return runWithin(timeoutMs, { run, discard }).finally(() => record.add({ work: readClock() }));
}

async function settle<Input, Answer>(
  { charge, record }: RunningCall<Input, Answer>,
  onFailure: "retry" | "release",
): Promise<Settlement> {
  const readClock = startClock();
  const settlement = await charge.settle(onFailure);
  record.add({ settle: { ...readClock(), settlement } });
  return settlement;
}

/** What reached the caller before a stream broke off is delivered, so it is charged. */
async function endFlow<Input, Answer>(
  running: RunningCall<Input, Answer>,
  httpStatus: number,
  how: StreamEnd,
): Promise<Settlement | null> {
  if (how === "nothing") {
    await endUncharged(running, { httpStatus, reason: "nothing_delivered" });
    return null;
  }
  const settlement = await settle(running, "retry");
  endSettled(running.record, httpStatus, settlement);
  return settlement;
}

/** Work that threw, broke off or timed out: no charge, and its error is thrown on (§3 step 9). */
async function endFailed<Input, Answer>(
  { charge, payment, record }: RunningCall<Input, Answer>,
  error: unknown,
  prepaid: Settlement | null,
): Promise<Refusal> {
  if (!prepaid) await charge.release();
  const moneyStatus = prepaid ? "settled" : "not-charged";
  if (!(error instanceof WorkTimeout)) {
    record.end({ moneyStatus, httpStatus: 500, reason: "exception" });
    throw error;
  }
  const refusal = timedOut(error.timeoutMs, payment.agentRequestId);
  record.end({ moneyStatus, httpStatus: refusal.httpStatus, reason: refusal.body.code });
  return refusal;
}

async function endUncharged<Input, Answer>(
  { charge, record }: RunningCall<Input, Answer>,
  outcome: { httpStatus: number; reason: string },
): Promise<void> {
  await charge.release();
  record.end({ moneyStatus: "not-charged", ...outcome });
}

function endSettled(record: RequestRecord, httpStatus: number, settlement: Settlement): void {
  if (settlement.success) record.end({ moneyStatus: "settled", httpStatus });
  else {
    const reason = settlement.errorReason;
    record.end({ moneyStatus: "delivered-unsettled", httpStatus, reason });
  }
}

function endRefused(record: RequestRecord, refusal: Refusal): Refusal {
  const { kind, httpStatus, body } = refusal;
  record.end({ moneyStatus: MONEY_STATUS_OF_REFUSAL[kind], httpStatus, reason: body.code });
  return refusal;
}
