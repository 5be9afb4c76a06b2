import "server-only";
import type {
  CutCode,
  FailureCode,
  Outbound,
  OutboundEvent,
  OutboundRequest,
  RefusalCode,
} from "@/lib/domain/outbound-ports.ts";
import type { Exchange as PlainExchange } from "@/lib/playground/exchange.ts";

/** One recorded request with its outcome; checks read these. */
export type Exchange = {
  method: string;
  url: string;
  outcome: Answered | Unanswered;
};

export type Answered = {
  kind: "answered";
  status: number;
  headers: [name: string, value: string][];
  text: string;
  /** Why the text is incomplete. */
  cut: { code: CutCode; message: string } | null;
  /** Time until the response headers. */
  ms: number;
};

export type Unanswered = {
  kind: "refused" | "failed";
  code: RefusalCode | FailureCode;
  message: string;
  ms: number;
};

/** Sends a request through the guarded outbound client and records the outcome. */
export async function recordExchange(
  outbound: Outbound,
  asking: OutboundRequest,
): Promise<Exchange> {
  const events: OutboundEvent[] = [];
  for await (const event of outbound.send(asking)) events.push(event);
  return { method: asking.method, url: asking.url, outcome: readOutcome(events) };
}

function readOutcome(events: readonly OutboundEvent[]): Answered | Unanswered {
  const head = events.find((event) => event.type === "headers");
  const last = events.at(-1);
  if (head?.type === "headers" && last?.type === "end") {
    const chunks = events.flatMap((event) => (event.type === "chunk" ? [event.bytes] : []));
    return {
      kind: "answered",
      status: head.status,
      headers: head.headers,
      text: Buffer.concat(chunks).toString("utf8"),
      cut: last.cut,
      ms: head.ms,
    };
  }
  if (last?.type === "refused" || last?.type === "failed") {
    return { kind: last.type, code: last.code, message: last.message, ms: last.ms };
  }
  return { kind: "failed", code: "broken_off", message: "No response.", ms: last?.ms ?? 0 };
}

const NEVER_SENT: readonly string[] = [
  "name_unknown",
  "connect_refused",
  "connect_timeout",
  "connect_failed",
  "tls_invalid",
] satisfies FailureCode[];

/** Whether a request may have reached the agent without a response: what it did, no one here knows. */
export const isLost = ({ outcome }: Exchange): boolean =>
  outcome.kind === "failed" && !NEVER_SENT.includes(outcome.code);

export const answerOf = ({ outcome }: Exchange): Answered | null =>
  outcome.kind === "answered" ? outcome : null;

/** A response header, or null; repeated headers are joined with commas. */
export function headerOf(exchange: Exchange, name: string): string | null {
  const values = answerOf(exchange)
    ?.headers.filter(([given]) => given === name)
    .map(([, value]) => value);
  return values && values.length > 0 ? values.join(", ") : null;
}

/** The exchange in the form the playground's receipt reader takes. */
export function plainExchange({ method, url, outcome }: Exchange): PlainExchange {
  const request = { method, url, headers: [], body: null };
  const base = { request, startedAt: "", durationMs: outcome.ms };
  if (outcome.kind !== "answered") {
    const { kind, code, message } = outcome;
    return { ...base, answer: null, failure: { kind, code, message } };
  }
  const { status, headers, text: body, cut } = outcome;
  return { ...base, answer: { status, headers, body, bytes: body.length, cut }, failure: null };
}
