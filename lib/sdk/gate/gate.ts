import type { Payments } from "../client/payments.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { toJson } from "../protocol/json.ts";
import { encodeHeader, X402_HEADERS } from "../protocol/payment-required.ts";
import type { Settlement } from "../protocol/permission.ts";
import { askForPayment, badPath, refuseToken, withhold } from "./answers.ts";
import { type Charge, createCharge, runSettlementJob } from "./charge.ts";
import { gatedHeaders, REQUEST_ID_HEADER, readTokenHeader, withoutToken } from "./headers.ts";
import { consoleLogger, type Logger } from "./logger.ts";
import { prepareRequirement } from "./prepare.ts";
import { compileRoutes, findRoute, type RouteMap } from "./routes.ts";
import { createMemoryQueue, type SettlementQueue } from "./settlement-queue.ts";
import { failClosed, type Payment, verifyToken } from "./verify.ts";
import { watchStream } from "./watch-stream.ts";

/** The agent's work. `payment` is there exactly when the route is gated. */
export type Work = (request: Request, payment?: Payment) => Response | Promise<Response>;

/** A gate: answers a request by running the work, or by asking for payment instead. */
export type Gate = (request: Request, work: Work) => Promise<Response>;

export type GateOptions = {
  /**
   * When credits are taken. `after` (default): once the work has succeeded; a failure is logged,
   * repeated in the background, and the answer stands (§3 step 7). `strict`: as `after`, but a
   * failure withholds the answer with 402. `before`: first of all, for work that cannot be undone.
   */
  settle?: "after" | "strict" | "before";
  /**
   * Whether an answer is held until its end, so that the receipt fits its headers. Default: event
   * streams flow, everything else is held. A flowing answer settles when it ends.
   */
  buffer?: boolean;
  /** Keeps what could not be settled; in memory by default. */
  queue?: SettlementQueue;
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
  const { settle: mode = "after", logger = consoleLogger } = options;
  if (!["after", "strict", "before"].includes(mode)) {
    throw new PaymentsError(
      "invalid_input",
      `Gate option \`settle\` is ${JSON.stringify(mode)}: use "after", "strict" or "before".`,
    );
  }
  const table = compileRoutes(routes, payments.connection.schemeAliases);
  const queue = options.queue ?? createMemoryQueue({ onGiveUp: giveUpTo(logger) });
  const context = { payments, facilitator: payments.facilitator, queue, logger };
  queue.start(runSettlementJob(context));

  return async function gate(request, work) {
    // 1. Match
    const route = findRoute(table, request);
    if (route === "undecodable") return badPath();
    if (!route) return work(request);

    // 2. Prepare
    const requirement = await prepareRequirement(payments, route, request).catch((error) =>
      failClosed(error, "The payment requirement could not be built.", {
        route: route.key,
        logger,
      }),
    );
    if (requirement instanceof Response) return requirement;

    // 3. Token
    const header = readTokenHeader(request.headers);
    if (header === "missing") return askForPayment(requirement);
    if (header === "malformed") return refuseToken(requirement, "invalid_token");

    // 4. Verify
    const verified = await verifyToken(context, requirement, header.token);
    if (verified instanceof Response) return verified;

    // 5. Context
    const { payment, settleInput } = verified;
    const charge = createCharge(context, settleInput, {
      payer: payment.payer,
      planId: payment.planId,
      network: payment.verification.network,
    });
    const named = { [REQUEST_ID_HEADER]: payment.agentRequestId };
    const paidBefore = mode === "before" ? await charge.settle("release") : null;
    if (paidBefore?.success === false) return refuseUnsettled(paidBefore, named);

    // 9. Exception
    const response = await runWork(work, withoutToken(request), payment, charge, paidBefore);

    // 8. No settle
    if (!response.ok) {
      if (!paidBefore) await charge.release();
      return own(response, response.body, receiptHeaders(named, paidBefore));
    }

    // 6. Settle, 7. Settle fails
    if (paidBefore) return own(response, response.body, receiptHeaders(named, paidBefore));
    if (mode === "strict") {
      const body = isFlowing(response, options) ? response.body : await readBody(response, charge);
      const settlement = await charge.settle("release");
      if (settlement.success) return own(response, body, receiptHeaders(named, settlement));
      await response.body?.cancel().catch(() => {});
      return refuseUnsettled(settlement, named);
    }
    if (response.body && isFlowing(response, options)) {
      return own(response, settleAtEnd(response.body, response.headers, charge), named);
    }
    const body = await readBody(response, charge);
    return own(response, body, receiptHeaders(named, await charge.settle("retry")));
  };
}

async function runWork(
  work: Work,
  request: Request,
  payment: Payment,
  charge: Charge,
  paidBefore: Settlement | null,
): Promise<Response> {
  try {
    return await work(request, payment);
  } catch (error) {
    if (!paidBefore) await charge.release();
    throw error;
  }
}

/** The whole body of an answer; one that breaks off is failed work (§3 step 9). */
async function readBody(response: Response, charge: Charge): Promise<ArrayBuffer | null> {
  try {
    return response.body && (await response.arrayBuffer());
  } catch (error) {
    await charge.release();
    throw error;
  }
}

function isFlowing(response: Response, { buffer }: GateOptions): boolean {
  return buffer === undefined ? isEventStream(response.headers) : !buffer;
}

const isEventStream = (headers: Headers) =>
  /^text\/event-stream\s*(;|$)/i.test(headers.get("content-type") ?? "");

/** The stream, settled when it is over. Bytes that were handed on are delivered, so they are charged. */
function settleAtEnd(
  body: ReadableStream<Uint8Array>,
  headers: Headers,
  charge: Charge,
): ReadableStream<Uint8Array> {
  // In a compressed stream a plain event would be noise.
  const takesEvent = isEventStream(headers) && !headers.has("content-encoding");
  return watchStream(body, async (end) => {
    if (end === "nothing") {
      await charge.release();
      return null;
    }
    const settlement = await charge.settle("retry");
    const event = `event: ${X402_HEADERS.PAYMENT_RESPONSE}\ndata: ${toJson(settlement)}\n\n`;
    return takesEvent ? new TextEncoder().encode(event) : null;
  });
}

const receiptHeaders = (named: Record<string, string>, settlement: Settlement | null) =>
  settlement ? { ...named, [X402_HEADERS.PAYMENT_RESPONSE]: encodeHeader(settlement) } : named;

// While the outcome is unknown a 402 would ask for a second payment of the same request.
function refuseUnsettled(
  settlement: Settlement & { success: false },
  named: Record<string, string>,
): Response {
  return withhold(settlement.errorReason, receiptHeaders(named, settlement));
}

/** The work's answer under the gate's headers. */
function own(response: Response, body: BodyInit | null, headers: Record<string, string>): Response {
  const owned = gatedHeaders(response.headers, headers);
  // A receipt event makes a stream longer than its writer said.
  if (isEventStream(response.headers)) owned.delete("content-length");
  const { status, statusText } = response;
  return new Response(body, { status, statusText, headers: owned });
}

const giveUpTo =
  (logger: Logger) =>
  (job: { kind: string; agentRequestId: string }, why: string): void =>
    logger.error(`Gave up a ${job.kind} in the background.`, {
      agentRequestId: job.agentRequestId,
      why,
    });
