import "server-only";
import type { Outbound, OutboundEvent } from "@/lib/domain/outbound-ports.ts";
import type { HeaderLine, PlainRequest, SendEvent } from "@/lib/playground/exchange.ts";

type Sending = {
  outbound: Outbound;
  account: string;
  request: PlainRequest;
  signal: AbortSignal;
};

/** Sends a person's request through the guard and tells how it goes; the last event is the exchange. */
export async function* sendForPlayground(sending: Sending): AsyncGenerator<SendEvent> {
  const { outbound, account, request, signal } = sending;
  const startedAt = new Date().toISOString();
  const { authorization, headers } = splitHeaders(request.headers);
  const events = outbound.send({
    account,
    method: request.method,
    url: request.url,
    headers,
    signal,
    ...(authorization !== undefined && { authorization }),
    ...(request.body !== null && { body: request.body }),
  });
  const chunks: Uint8Array[] = [];
  let answer: { status: number; headers: HeaderLine[] } | null = null;
  for await (const event of events) {
    if (event.type === "headers") answer = { status: event.status, headers: event.headers };
    if (event.type === "chunk") chunks.push(event.bytes);
    const words = wordsOf(event);
    if (words) yield { type: "progress", words };
    if (event.type === "end" || event.type === "refused" || event.type === "failed") {
      const base = { startedAt, durationMs: Math.round(event.ms) };
      if (event.type !== "end" || !answer) {
        const failure = event.type === "end" ? NO_ANSWER : { kind: event.type, ...codeOf(event) };
        yield { type: "done", exchange: { ...base, answer: null, failure } };
        return;
      }
      const body = new TextDecoder().decode(Buffer.concat(chunks));
      const { bytes, cut } = event;
      yield {
        type: "done",
        exchange: { ...base, answer: { ...answer, body, bytes, cut }, failure: null },
      };
      return;
    }
  }
}

const NO_ANSWER = {
  kind: "failed",
  code: "answer_malformed",
  message: "The answer had no status.",
} as const;

const codeOf = ({ code, message }: Extract<OutboundEvent, { type: "refused" | "failed" }>) => ({
  code,
  message,
});

/** The agent's own login goes its own way, so that none of ours can be mistaken for it. */
function splitHeaders(lines: readonly HeaderLine[]) {
  const headers: Record<string, string> = {};
  let authorization: string | undefined;
  for (const [name, value] of lines) {
    if (name.toLowerCase() === "authorization") authorization = value;
    else headers[name] = value;
  }
  return { authorization, headers };
}

function wordsOf(event: OutboundEvent): string | null {
  switch (event.type) {
    case "dns":
      return `${event.host} is ${event.addresses.join(", ")}.`;
    case "connect":
      return `Connected to ${event.address}, port ${event.port}.`;
    case "sent":
      return event.leftOut.length > 0
        ? `Sent, without ${event.leftOut.join(", ")}.`
        : "Sent. Waiting for the answer.";
    case "headers":
      return `${event.status}. Reading the answer.`;
    default:
      return null;
  }
}
