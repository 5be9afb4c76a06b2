import { call } from "../client/call.ts";
import type { Payments } from "../client/payments.ts";
import type { AccessToken } from "../protocol/access-token-schema.ts";
import { PaymentsError } from "../protocol/errors.ts";
import type { RoutePattern } from "../protocol/match-route.ts";
import { createAuthorizer, readToken } from "./authorize.ts";
import { createCharges } from "./charge.ts";
import type { GateOptions } from "./gate-options.ts";
import { consoleLogger } from "./logger.ts";
import { joinObservers } from "./observe.ts";
import type { Outcome, PaidCall } from "./paid-call.ts";
import { type PaidWork, runPaidWork } from "./paid-work.ts";
import { createDefaultQueue } from "./queue/default-queue.ts";
import { ambiguousPath, endRefused, overriddenMethod } from "./refusals.ts";
import { createMemoryAnswers } from "./repeats/memory-answers.ts";
import { createRepeats, type Repeatable } from "./repeats/repeats.ts";
import { createReporter, type Report } from "./report.ts";
import { openRecord } from "./request-record.ts";
import { compileRoutes, findRoute, type RouteMap } from "./routes.ts";

export type PaidCallOptions<Answer> = Pick<
  GateOptions,
  "settle" | "timeoutMs" | "queue" | "answers" | "observe" | "report" | "logger"
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
  const table = compileRoutes(routes, connection.schemeAliases);
  const sendReport = (report: Report) => call(connection, "reportRequests", report, REPORT_CALL);
  const reporter = options.report === false ? undefined : createReporter(sendReport);
  const observe = joinObservers([options.observe, reporter], logger);
  const queue = options.queue ?? createDefaultQueue(connection, logger);
  const authorize = createAuthorizer(payments, logger);
  const openRepeat = createRepeats(options.answers ?? createMemoryAnswers(), logger);
  const createCharge = createCharges({ facilitator, queue, observe, logger });

  return async function runPaidCall(paidCall) {
    // 1. Match
    const route = findRoute(table, paidCall);
    const isOverridden = await overridesMethod(table, paidCall);
    if (!route && !isOverridden) return { kind: "not-gated" };
    const record = openRecord(observe, paidCall, route === "undecodable" ? null : route);
    if (route === "undecodable") return endRefused(record, ambiguousPath());
    if (!route || isOverridden) return endRefused(record, overriddenMethod());

    const token = readToken(paidCall.token);
    const repeat = token && (await openRepeat(paidCall, token));
    if (repeat?.kind === "repeated") {
      record.end({ moneyStatus: "free", httpStatus: 200, reason: "repeated" });
      return repeat;
    }
    if (repeat && repeat.kind !== "first") return endRefused(record, repeat);
    try {
      const outcome = await pay({ call: paidCall, route, token, repeat, record });
      return repeat ? await repeat.watch(outcome) : outcome;
    } catch (error) {
      await repeat?.drop();
      throw error;
    }
  };

  /** Verifies, works and settles one call of a route. */
  async function pay({
    repeat,
    token,
    ...paid
  }: Pick<PaidWork<Input, Answer>, "call" | "route" | "record"> & {
    token: AccessToken | null;
    repeat: Repeatable | null;
  }): Promise<Outcome<Answer>> {
    const { call, route, record } = paid;
    // 2. Requirement, 3. Token, 4. Verify
    const decision = await authorize(route, call, { token, requestId: repeat?.requestId });
    record.add(decision.facts);
    if (decision.kind !== "authorized") return endRefused(record, decision);

    // 5. Work to 9. Exception
    const { payment, settleInput } = decision;
    const charge = createCharge(settleInput, payment, repeat?.spoil);
    return runPaidWork({ ...paid, isDelivered, payment, charge, mode, timeoutMs });
  }
}

/** Whether the app could run a path of the table under a method that the gate does not see. */
const overridesMethod = async (
  table: readonly RoutePattern[],
  { overridesMethod: ask, url }: Pick<PaidCall<never, never>, "overridesMethod" | "url">,
): Promise<boolean> => !!ask && findRoute(table, { url }) !== null && (await ask());
