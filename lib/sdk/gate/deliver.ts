import { toJson } from "../protocol/json.ts";
import type { Settlement } from "../protocol/permission.ts";
import { encodeHeader, X402_HEADERS } from "../protocol/x402-headers.ts";
import { tooLate, withhold } from "./answers.ts";
import type { Charge } from "./charge.ts";
import type { Work } from "./gate.ts";
import { gatedHeaders, REQUEST_ID_HEADER } from "./headers.ts";
import { type Body, holdBody, isEventStream } from "./hold-body.ts";
import type { Pass } from "./pass.ts";
import { runWork, WorkTimeout } from "./run-work.ts";
import type { Payment } from "./verify.ts";
import { watchStream } from "./watch-stream.ts";

/** What a server adapter knows beyond the request, and can do beyond the response. */
export type Delivery = {
  /** The path the router matches, where it is not that of the request's URL. */
  path?: string;
  /** Adds HTTP trailers; called at most once, before a flowing answer ends. */
  addTrailers?(trailers: Record<string, string>): void;
};

/** A verified request, ready for its work. */
export type Delivering = {
  request: Request;
  work: Work;
  payment: Payment;
  charge: Charge;
  pass: Pass;
  delivery: Delivery;
  mode: "after" | "strict" | "before";
  buffer: boolean | undefined;
  timeoutMs: number | undefined;
};

/** Runs the work and closes its charge: credits go exactly when a 2xx answer is delivered (§3 steps 5 to 9). */
export async function deliver(given: Delivering): Promise<Response> {
  const { request, payment, charge, pass, mode } = given;
  const named = { [REQUEST_ID_HEADER]: payment.agentRequestId };
  const paidBefore = mode === "before" ? await settle(given, "release") : null;
  if (paidBefore?.success === false) return refuseUnsettled(given, paidBefore, named);

  // 9. Exception
  let response: Response;
  let body: Body;
  try {
    response = await runWork(given);
    // 8. No settle
    if (!response.ok || paidBefore) return await deliverUnpaid(given, response, paidBefore, named);
    // What a HEAD would have answered is not sent.
    if (request.method === "HEAD") await response.body?.cancel();
    const bare = request.method === "HEAD" ? new Response(null, response) : response;
    body = await holdBody(bare, given.buffer);
  } catch (error) {
    return await fail(given, error, paidBefore, named);
  }

  // 6. Settle, 7. Settle fails
  if (mode === "strict") {
    const settlement = await settle(given, "release");
    if (!settlement.success) {
      if (body.kind === "flowing") await body.stream.cancel().catch(() => {});
      return refuseUnsettled(given, settlement, named);
    }
    const whole = body.kind === "held" ? body.bytes : body.stream;
    endSettled(pass, response.status, settlement);
    return own(response, whole, receiptHeaders(named, settlement));
  }
  if (body.kind === "flowing") return flow(given, response, body.stream, named);
  // Nobody is there to take the answer.
  if (request.signal.aborted) {
    await charge.release();
    pass.end({
      moneyStatus: "not-charged",
      httpStatus: response.status,
      reason: "client_gone",
    });
    return own(response, body.bytes, named);
  }
  const settlement = await settle(given, "retry");
  endSettled(pass, response.status, settlement);
  return own(response, body.bytes, receiptHeaders(named, settlement));
}

/** An answer that costs nothing, or nothing more. */
async function deliverUnpaid(
  { charge, pass }: Delivering,
  response: Response,
  paidBefore: Settlement | null,
  named: Record<string, string>,
): Promise<Response> {
  if (paidBefore) endSettled(pass, response.status, paidBefore);
  else {
    await charge.release();
    const reason = `status_${response.status}`;
    pass.end({ moneyStatus: "not-charged", httpStatus: response.status, reason });
  }
  return own(response, response.body, receiptHeaders(named, paidBefore));
}

/** Work that threw, broke off or took too long: no charge, and the error goes on (§3 step 9). */
async function fail(
  { charge, pass }: Delivering,
  error: unknown,
  paidBefore: Settlement | null,
  named: Record<string, string>,
): Promise<Response> {
  if (!paidBefore) await charge.release();
  const refusal = error instanceof WorkTimeout ? tooLate(error.timeoutMs, named) : null;
  const reason = refusal?.reason ?? "exception";
  const moneyStatus = paidBefore ? "settled" : "not-charged";
  pass.end({ moneyStatus, httpStatus: refusal ? 504 : 500, reason });
  if (!refusal) throw error;
  return refusal.response;
}

async function settle(
  { charge, pass }: Delivering,
  onFailure: "retry" | "release",
): Promise<Settlement> {
  const endSettle = pass.startSettle();
  const settlement = await charge.settle(onFailure);
  endSettle(settlement);
  return settlement;
}

/** A stream, settled when it is over. Bytes that were handed on are delivered, so they are charged. */
function flow(
  given: Delivering,
  response: Response,
  stream: ReadableStream<Uint8Array>,
  named: Record<string, string>,
): Response {
  const { charge, pass, delivery } = given;
  const { headers, status } = response;
  // In a compressed stream a plain event would be noise.
  const takesEvent = isEventStream(headers) && !headers.has("content-encoding");
  const takesTrailer = delivery.addTrailers !== undefined && !headers.has("content-length");
  const watched = watchStream(stream, async (end) => {
    if (end === "nothing") {
      await charge.release();
      pass.end({ moneyStatus: "not-charged", httpStatus: status, reason: "nothing_delivered" });
      return null;
    }
    const settlement = await settle(given, "retry");
    endSettled(pass, status, settlement);
    if (end === "partial") return null;
    if (takesTrailer) delivery.addTrailers?.(receiptHeaders({}, settlement));
    const event = `event: ${X402_HEADERS.PAYMENT_RESPONSE}\ndata: ${toJson(settlement)}\n\n`;
    return takesEvent ? new TextEncoder().encode(event) : null;
  });
  const trailer = X402_HEADERS.PAYMENT_RESPONSE;
  return own(response, watched, takesTrailer ? { ...named, trailer } : named);
}

const receiptHeaders = (named: Record<string, string>, settlement: Settlement | null) =>
  settlement ? { ...named, [X402_HEADERS.PAYMENT_RESPONSE]: encodeHeader(settlement) } : named;

function endSettled(pass: Pass, httpStatus: number, settlement: Settlement): void {
  if (settlement.success) pass.end({ moneyStatus: "settled", httpStatus });
  else {
    pass.end({ moneyStatus: "delivered-unsettled", httpStatus, reason: settlement.errorReason });
  }
}

// While the outcome is unknown a 402 would ask for a second payment of the same request.
function refuseUnsettled(
  { pass }: Delivering,
  settlement: Settlement & { success: false },
  named: Record<string, string>,
): Response {
  const refusal = withhold(settlement.errorReason, receiptHeaders(named, settlement));
  const { response, moneyStatus, reason } = refusal;
  pass.end({ moneyStatus, httpStatus: response.status, reason });
  return response;
}

/** The work's answer under the gate's headers. */
function own(response: Response, body: BodyInit | null, headers: Record<string, string>): Response {
  const owned = gatedHeaders(response.headers, headers);
  // A receipt event makes a stream longer than its writer said.
  if (isEventStream(response.headers)) owned.delete("content-length");
  const { status, statusText } = response;
  return new Response(body, { status, statusText, headers: owned });
}
