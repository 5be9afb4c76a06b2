import type { Payments } from "../client/payments.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { askForPayment, badPath, type Refusal, refuseToken } from "./answers.ts";
import { createCharge, runSettlementJob } from "./charge.ts";
import { type Delivery, deliver } from "./deliver.ts";
import { readTokenHeader } from "./headers.ts";
import { consoleLogger, type Logger } from "./logger.ts";
import { abbreviateToken, type GateObserver, joinObservers } from "./observe.ts";
import { openPass, type Pass } from "./pass.ts";
import { prepareRequirement } from "./prepare.ts";
import { createDefaultQueue } from "./queue/default-queue.ts";
import type { SettlementQueue } from "./queue/settlement-queue.ts";
import { createReporter } from "./report.ts";
import { compileRoutes, findRoute, type Route, type RouteMap } from "./routes.ts";
import { failClosed, type Payment, verifyToken } from "./verify.ts";

/** The agent's work. `payment` is there exactly when the route is gated. */
export type Work = (request: Request, payment?: Payment) => Response | Promise<Response>;

/** A gate: answers a request by running the work, or by asking for payment instead. */
export type Gate = (request: Request, work: Work, delivery?: Delivery) => Promise<Response>;

export type GateOptions = {
  /**
   * When credits are taken. `after` (default): once the work has succeeded; a failure is logged,
   * repeated in the background, and the answer stands (§3 step 7). `strict`: as `after`, but a
   * failure withholds the answer with 402. `before`: first of all, for work that cannot be undone.
   */
  settle?: "after" | "strict" | "before";
  /**
   * Whether an answer is held until its end, so that the receipt fits its headers. Default: event
   * streams, long bodies and bodies still being written flow; what is complete is held. A flowing
   * answer settles when it ends.
   */
  buffer?: boolean;
  /** How long the work may take until its answer begins; later it is 504 and costs nothing. Default: for ever. */
  timeoutMs?: number;
  /** Keeps what could not be settled. Default on Node: a file journal; elsewhere the process's memory. */
  queue?: SettlementQueue;
  /** Hears of every decision with its times: for traces and metrics. */
  observe?: GateObserver;
  /** `false`: the service is not told of challenges, refusals and times it cannot see itself. */
  report?: boolean;
  /** Default: the console. */
  logger?: Logger;
};

/**
 * A gate in front of an agent (§3): verify, work, settle, within one request. Runs wherever
 * `Request` and `Response` exist. Throws `invalid_input` for routes it could not guard.
 *
 * @example
 * const gate = createGate(payments, { "POST /ask": { planId, credits: 2 } });
 * const response = await gate(request, async (request, payment) => Response.json(await answer(request)));
 */
export function createGate(payments: Payments, routes: RouteMap, options: GateOptions = {}): Gate {
  const { settle: mode = "after", logger = consoleLogger, buffer, timeoutMs } = options;
  if (!["after", "strict", "before"].includes(mode)) {
    throw new PaymentsError(
      "invalid_input",
      `Gate option \`settle\` is ${JSON.stringify(mode)}: use "after", "strict" or "before".`,
    );
  }
  const table = compileRoutes(routes, payments.connection.schemeAliases);
  const reporter = options.report === false ? undefined : createReporter(payments.connection);
  const observe = joinObservers([options.observe, reporter], logger);
  const queue = options.queue ?? createDefaultQueue(payments.connection, logger);
  const context = { payments, facilitator: payments.facilitator, queue, observe, logger };
  queue.start(runSettlementJob(context), ({ kind: job, agentRequestId }, reason) => {
    logger.error(`Gave up a ${job} in the background.`, { agentRequestId, reason });
    observe({ type: "job", job, agentRequestId, outcome: "given-up", reason });
  });

  return async function gate(request, work, delivery = {}) {
    // 1. Match
    const url = delivery.path ?? request.url;
    const route = findRoute(table, { method: request.method, url });
    if (!route) return work(request);
    const pass = openPass(observe, { method: request.method, url }, readable(route));
    if (route === "undecodable") return refuse(pass, badPath());

    // 2. Prepare
    const requirement = await prepareRequirement(payments, route, request).catch((error) =>
      failClosed(error, "The payment requirement could not be built.", {
        route: route.key,
        logger,
      }),
    );
    if ("response" in requirement) return refuse(pass, requirement);

    // 3. Token
    const endVerify = pass.startVerify();
    const header = readTokenHeader(request.headers);
    if (header === "missing") return refuse(pass, askForPayment(requirement), endVerify);
    if (header === "malformed") {
      return refuse(pass, refuseToken(requirement, "invalid_token"), endVerify);
    }

    // 4. Verify
    pass.know({ paymentToken: abbreviateToken(header.token) });
    const verified = await verifyToken(context, requirement, header.token, pass);
    if ("response" in verified) return refuse(pass, verified, endVerify);
    endVerify(true);

    // 5. Context to 9. Exception
    const { payment, settleInput } = verified;
    const charge = createCharge(context, settleInput, {
      payer: payment.payer,
      planId: payment.planId,
      network: payment.verification.network,
    });
    return deliver({ request, work, payment, charge, pass, delivery, mode, buffer, timeoutMs });
  };
}

const readable = (route: Route | "undecodable") => (route === "undecodable" ? null : route);

/** The gate's own answer; the work does not run. */
function refuse(
  pass: Pass,
  { response, moneyStatus, reason }: Refusal,
  endVerify?: (isValid: boolean) => void,
): Response {
  endVerify?.(false);
  pass.end({ moneyStatus, httpStatus: response.status, reason });
  return response;
}
