import { toJson } from "../protocol/json.ts";
import type { Settlement } from "../protocol/permission.ts";
import { encodeHeader, X402_HEADERS } from "../protocol/x402-headers.ts";
import { gatedHeaders, REQUEST_ID_HEADER } from "./headers.ts";
import { isEventStream } from "./hold-body.ts";
import type { HttpAnswer } from "./http-call.ts";
import type { Outcome } from "./paid-call.ts";
import type { Refusal } from "./refusals.ts";
import { createStreamVerdict } from "./stream-verdict.ts";
import { watchStream } from "./watch-stream.ts";

/** What a server adapter knows beyond the request, and can do beyond the response. */
export type Delivery = {
  /** The path the router matches, where it is not the path of the request's URL. */
  path?: string;
  /** Adds HTTP trailers; called at most once, before a flowing answer ends. */
  addTrailers?(trailers: Record<string, string>): void;
};

/** The outcome of a gated request as a response. */
export function toResponse(
  outcome: Exclude<Outcome<HttpAnswer>, { kind: "not-gated" }>,
  delivery: Delivery,
): Response {
  switch (outcome.kind) {
    case "flowing":
      return flowingResponse(outcome, delivery);
    case "delivered":
    case "not-charged":
      return gatedResponse(outcome.answer, paymentHeaders(outcome));
    default:
      return refusalResponse(outcome);
  }
}

// Many proxies drop larger headers, and the answer with them; the body has all offers.
const MAX_OFFERS_IN_HEADER = 5;

/** A refusal as a response. */
export function refusalResponse(refusal: Refusal): Response {
  const { httpStatus: status, body, retryAfterSecs } = refusal;
  const { paymentRequired } = body;
  const offers = paymentRequired?.accepts.slice(0, MAX_OFFERS_IN_HEADER);
  const headers = gatedHeaders(
    { "content-type": "application/json" },
    {
      ...paymentHeaders(refusal),
      ...(paymentRequired && {
        [X402_HEADERS.PAYMENT_REQUIRED]: encodeHeader({ ...paymentRequired, accepts: offers }),
      }),
      ...(retryAfterSecs !== undefined && { "retry-after": String(retryAfterSecs) }),
    },
  );
  return new Response(toJson(body), { status, headers });
}

/** A stream whose receipt follows it: as an event where it is one of events, and as a trailer where the server can. */
function flowingResponse(
  { answer, agentRequestId, isSuccess, begin, end }: Outcome<HttpAnswer> & { kind: "flowing" },
  { addTrailers }: Delivery,
): Response {
  const { headers } = answer.response;
  const trailer = X402_HEADERS.PAYMENT_RESPONSE;
  // A compressed stream cannot take a plain event.
  const takesEvent = isEventStream(headers) && !headers.has("content-encoding");
  const takesTrailer = addTrailers !== undefined && !headers.has("content-length");
  const verdict = createStreamVerdict(answer.response, isSuccess);
  const body = watchStream(answer.body as ReadableStream<Uint8Array>, {
    // The work of an event stream is its events; of any other answer, it was done before its head.
    isOwedUnread: !isEventStream(headers),
    onChunk: verdict.read,
    onStart: begin,
    async onEnd(how) {
      const settlement = await end(verdict.hasFailed() ? "failed" : how);
      if (!settlement || how !== "complete") return null;
      if (takesTrailer) addTrailers(paymentHeaders({ settlement }));
      const event = `event: ${trailer}\ndata: ${toJson(settlement)}\n\n`;
      return takesEvent ? new TextEncoder().encode(event) : null;
    },
  });
  const named = paymentHeaders({ agentRequestId });
  return gatedResponse({ ...answer, body }, takesTrailer ? { ...named, trailer } : named);
}

const paymentHeaders = ({
  agentRequestId,
  settlement,
}: {
  agentRequestId?: string;
  settlement?: Settlement;
}): Record<string, string> => ({
  ...(agentRequestId && { [REQUEST_ID_HEADER]: agentRequestId }),
  ...(settlement && { [X402_HEADERS.PAYMENT_RESPONSE]: encodeHeader(settlement) }),
});

/** The work's answer under the gate's headers. */
function gatedResponse({ response, body }: HttpAnswer, own: Record<string, string>): Response {
  const headers = gatedHeaders(response.headers, own);
  // A receipt event makes a stream longer than its writer stated.
  if (isEventStream(response.headers)) headers.delete("content-length");
  const { status, statusText } = response;
  return new Response(body, { status, statusText, headers });
}
