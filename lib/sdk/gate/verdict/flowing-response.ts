import { toJson } from "../../protocol/json.ts";
import type { Settlement } from "../../protocol/permission.ts";
import { X402_HEADERS } from "../../protocol/x402-headers.ts";
import type { Delivery } from "../delivery.ts";
import { isEventStream } from "../media-types.ts";
import type { Outcome } from "../paid-call.ts";
import { createCopy } from "../repeats/copy-stream.ts";
import { type StreamEnd, watchStream } from "../watch-stream.ts";
import { createStreamVerdict } from "./stream-verdict.ts";

type Answer = { response: Response; body: unknown };

/** What the server can do, and the answer and its headers as any other response has them. */
type Given<Held> = Delivery & {
  headOf(response: Response, more?: Record<string, string>): string;
  paymentHeaders(paid: {
    agentRequestId?: string;
    settlement?: Settlement;
  }): Record<string, string>;
  gatedResponse(answer: Held, own: Record<string, string>, delivery: Delivery): Response;
};

/** A stream whose receipt follows it: as an event where it is one of events, and as a trailer where the server can. */
export function flowingResponse<Held extends Answer>(
  outcome: Outcome<Held> & { kind: "flowing" },
  { headOf, paymentHeaders, gatedResponse, ...delivery }: Given<Held>,
): Response {
  const { addTrailers, waitUntil } = delivery;
  let over = () => {};
  waitUntil?.(new Promise<void>((resolve) => (over = resolve)));
  const { answer, agentRequestId, isSuccess, begin, end, keep } = outcome;
  const { headers } = answer.response;
  const trailer = X402_HEADERS.PAYMENT_RESPONSE;
  // A compressed stream cannot take a plain event.
  const takesEvent = isEventStream(headers) && !headers.has("content-encoding");
  const takesTrailer = addTrailers !== undefined && !headers.has("content-length");
  const verdict = createStreamVerdict(answer.response, isSuccess);
  const copy = keep && createCopy();
  const body = watchStream(answer.body as ReadableStream<Uint8Array>, {
    // The work of an event stream is its events, unless it goes on where the head says, as a LangGraph run does; of any
    // other answer, it was done before its head.
    isOwedUnread: !isEventStream(headers) || headers.has("content-location"),
    onChunk(chunk) {
      verdict.read(chunk);
      copy?.add(chunk);
    },
    onStart: begin,
    onEnd: (how) => charge(how).finally(over),
  });
  async function charge(how: Exclude<StreamEnd, "failed">) {
    const start = verdict.isOpen() ? "\n\n" : "";
    if (how === "complete") verdict.finish();
    const settlement = await end((await verdict.hasFailed()) ? "failed" : how);
    if (!settlement || how !== "complete") {
      await keep?.(null);
      return null;
    }
    if (takesTrailer) addTrailers(paymentHeaders({ settlement }));
    const event = `${start}event: ${trailer}\ndata: ${toJson(settlement)}\n\n`;
    const last = takesEvent ? new TextEncoder().encode(event) : null;
    if (last) copy?.add(last);
    const bytes = copy?.bytes();
    await keep?.(
      bytes ? { head: headOf(response, paymentHeaders({ settlement })), body: bytes } : null,
    );
    return last;
  }
  const named = paymentHeaders({ agentRequestId });
  const own = [headers.get("trailer"), trailer].filter(Boolean).join(", ");
  const response = gatedResponse(
    { ...answer, body },
    takesTrailer ? { ...named, trailer: own } : named,
    delivery,
  );
  // Some releases of Hono's server can't read them any more once the body is being sent.
  if (keep) void response.headers;
  return response;
}
