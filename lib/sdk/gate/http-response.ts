import { REFUSAL_EXTENSION } from "../protocol/exact/stock-readers.ts";
import { toJson } from "../protocol/json.ts";
import type { X402PaymentRequired } from "../protocol/payment-required.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";
import type { Delivery } from "./delivery.ts";
import { gatedHeaders, REQUEST_ID_HEADER } from "./headers.ts";
import type { HttpAnswer } from "./http-call.ts";
import type { Logger } from "./logger.ts";
import { isEventStream } from "./media-types.ts";
import { receiptHeader, requirementHeader } from "./offers/header-size.ts";
import type { Outcome } from "./paid-call.ts";
import type { Refusal } from "./refusals.ts";
import type { KeptAnswer } from "./repeats/answer-store.ts";

/** The outcome of a gated request as a response. */
export function toResponse(
  outcome: Exclude<Outcome<HttpAnswer>, { kind: "not-gated" }>,
  delivery: Delivery,
  logger?: Logger,
): Response {
  switch (outcome.kind) {
    case "flowing":
      return (outcome.answer.judge as NonNullable<HttpAnswer["judge"]>).flowingResponse(outcome, {
        ...delivery,
        headOf,
        paymentHeaders,
        gatedResponse,
      });
    case "delivered":
      return deliveredResponse(outcome, delivery);
    case "not-charged":
      return gatedResponse(outcome.answer, paymentHeaders(outcome), delivery);
    case "repeated":
      return repeatedResponse(outcome.kept);
    default: {
      delivery.onRefusal?.();
      const response = refusalResponse(outcome, logger);
      const bytes = new TextEncoder().encode(toJson(outcome.body));
      void outcome.keep?.({ head: headOf(response), body: bytes });
      return response;
    }
  }
}

/** A refusal as a response. */
export function refusalResponse(refusal: Refusal, logger?: Logger): Response {
  const { httpStatus: status, body, retryAfterSecs, route } = refusal;
  const { paymentRequired, cause } = body;
  const headers = gatedHeaders([["content-type", "application/json"]], {
    ...paymentHeaders(refusal),
    ...(paymentRequired && {
      [X402_HEADERS.PAYMENT_REQUIRED]: requirementHeader(withCause(paymentRequired, cause), {
        logger,
        route,
      }),
    }),
    ...(retryAfterSecs !== undefined && { "retry-after": String(retryAfterSecs) }),
  });
  return new Response(toJson(body), { status, headers });
}

/** Stock clients read the header alone. */
const withCause = (requirement: X402PaymentRequired, cause: string | undefined) => ({
  ...requirement,
  ...(cause && {
    extensions: { ...requirement.extensions, [REFUSAL_EXTENSION]: { info: { cause } } },
  }),
});

function deliveredResponse(
  outcome: Outcome<HttpAnswer> & { kind: "delivered" },
  delivery: Delivery,
): Response {
  const { answer, keep } = outcome;
  const kept = keep
    ? answer.judge?.keepBody(answer.body, (body) => keep(body && { head: headOf(response), body }))
    : answer.body;
  const response = gatedResponse(
    { ...answer, body: kept ?? null },
    paymentHeaders(outcome),
    delivery,
  );
  return response;
}

type Head = { status: number; headers: [string, string][] };

function headOf({ status, headers }: Response, more: Record<string, string> = {}): string {
  const kept = new Headers(headers);
  for (const [name, value] of Object.entries(more)) kept.set(name, value);
  return JSON.stringify({ status, headers: Array.from(kept) } satisfies Head);
}

/** Marks an answer that was given before, and paid then. */
const REPLAYED_HEADER = "idempotency-replayed";

/** What an answer of a stated length cannot have. */
const OF_STREAMS = ["trailer", "transfer-encoding"];

function repeatedResponse({ head, body }: KeptAnswer): Response {
  const { status, headers: kept } = JSON.parse(head) as Head;
  const headers = new Headers(kept);
  for (const name of OF_STREAMS) headers.delete(name);
  headers.set(REPLAYED_HEADER, "true");
  headers.append("access-control-expose-headers", REPLAYED_HEADER);
  return new Response(body.byteLength > 0 ? body : null, { status, headers });
}

const paymentHeaders = ({
  agentRequestId,
  settlement,
}: Pick<Refusal, "agentRequestId" | "settlement">): Record<string, string> => ({
  ...(agentRequestId && { [REQUEST_ID_HEADER]: agentRequestId }),
  ...(settlement && { [X402_HEADERS.PAYMENT_RESPONSE]: receiptHeader(settlement) }),
});

/** The work's answer under the gate's headers. */
function gatedResponse(
  { response, body, isUnread }: HttpAnswer,
  own: Record<string, string>,
  { needsChunks }: Delivery,
): Response {
  const headers = gatedHeaders(response.headers, own);
  if (needsChunks) {
    // The server states the length of any other body.
    if (!(body instanceof ReadableStream)) for (const name of OF_STREAMS) delete headers[name];
    else if (headers.trailer) headers["transfer-encoding"] = "chunked";
  }
  // A receipt event makes a stream longer than its writer stated.
  if (isEventStream(response.headers)) {
    delete headers["content-length"];
    // nginx would keep events back, of which the call is charged.
    headers["x-accel-buffering"] = "no";
  }
  const cookies = response.headers
    .getSetCookie()
    .map((value): [string, string] => ["set-cookie", value]);
  // Hono's server gives a type to an answer without one only where its headers are no record.
  const isRecord = !cookies[0] && headers["content-type"];
  return new Response(body, {
    status: response.status,
    statusText: isUnread ? "" : response.statusText,
    headers: isRecord ? headers : [...Object.entries(headers), ...cookies],
  });
}
