import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { Outbound, OutboundEvent } from "@/lib/domain/outbound-ports.ts";
import {
  DEFAULT_LIMIT_SECS,
  type HeaderLine,
  type PlainRequest,
  type SendEvent,
} from "@/lib/playground/exchange.ts";

type Sending = {
  outbound: Outbound;
  account: string;
  request: PlainRequest;
  signal: AbortSignal;
  /** How long the whole request may take. */
  limitSecs?: number;
  /** How often to say that the request is under way; for tests. */
  beatMs?: number;
};

/** Shorter than the idle limits of common proxies. */
const BEAT_MS = 5_000;
/** How much of a response is shown while it arrives, and how often at most. */
const SHOWN_BYTES = 64 * 1024;
const SHOW_EVERY_MS = 200;

/**
 * Sends a person's request through the guard and tells how it goes, with the response as it arrives; the last event is
 * the exchange.
 */
export async function* sendForPlayground(sending: Sending): AsyncGenerator<SendEvent> {
  const { outbound, account, request, signal, limitSecs = DEFAULT_LIMIT_SECS } = sending;
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const seconds = () => Math.round((performance.now() - start) / 1000);
  const { authorization, headers } = splitHeaders(request.headers);
  const events = outbound.send({
    account,
    method: request.method,
    url: request.url,
    headers,
    signal,
    totalMs: limitSecs * 1000,
    silentMs: limitSecs * 1000,
    ...(authorization !== undefined && { authorization }),
    ...(request.body !== null && { body: request.body }),
  });
  const reading = startReading();
  for await (const event of withBeats(events, sending.beatMs ?? BEAT_MS)) {
    if (event === "beat") {
      const late = reading.unshown();
      if (late) yield { type: "partial", answer: late };
      yield { type: "progress", words: `${reading.words()} ${seconds()} of ${limitSecs} s.` };
      continue;
    }
    const partial = reading.take(event);
    const words = wordsOf(event);
    if (words) yield { type: "progress", words };
    if (partial) yield { type: "partial", answer: partial };
    if (event.type !== "end" && event.type !== "refused" && event.type !== "failed") continue;
    const base = { startedAt, durationMs: Math.round(event.ms) };
    const answer = event.type === "end" ? reading.answer(event) : null;
    const failure = answer ? null : failureOf(event, limitSecs);
    yield { type: "done", exchange: { ...base, answer, failure } };
    return;
  }
}

function startReading() {
  const chunks: Uint8Array[] = [];
  let head: { status: number; headers: HeaderLine[] } | null = null;
  let bytes = 0;
  let shown = { at: 0, bytes: -1 };
  const read = (of: readonly Uint8Array[]) => new TextDecoder().decode(Buffer.concat(of));
  return {
    /** Takes an event; returns the response so far, when it is time to show more of it. */
    take(event: OutboundEvent) {
      if (event.type === "headers") head = { status: event.status, headers: event.headers };
      if (event.type === "chunk") {
        chunks.push(event.bytes);
        bytes += event.bytes.length;
      }
      if (shown.bytes > 0 && event.ms - shown.at < SHOW_EVERY_MS) return null;
      return this.unshown(event.ms);
    },
    unshown(at = shown.at) {
      if (!head || shown.bytes === bytes || bytes > SHOWN_BYTES) return null;
      shown = { at, bytes };
      return { ...head, body: read(chunks), bytes, cut: null };
    },
    answer: ({ bytes: total, cut }: Extract<OutboundEvent, { type: "end" }>) =>
      head && { ...head, body: read(chunks), bytes: total, cut },
    words: () =>
      head ? `${head.status}. ${bytes.toLocaleString("en-US")} bytes so far.` : "Waiting.",
  };
}

/** The events as they come, and a beat whenever none came for a while. */
async function* withBeats<T>(events: AsyncGenerator<T>, everyMs: number) {
  try {
    for (;;) {
      const next = events.next();
      let given: IteratorResult<T> | null = null;
      while (!given) {
        const done = new AbortController();
        const beat = sleep(everyMs, null, { signal: done.signal }).catch(() => null);
        given = await Promise.race([next, beat]).finally(() => done.abort());
        if (!given) yield "beat" as const;
      }
      if (given.done) return;
      yield given.value;
    }
  } finally {
    await events.return(undefined);
  }
}

type Ended = Extract<OutboundEvent, { type: "end" | "refused" | "failed" }>;

function failureOf(event: Ended, limitSecs: number) {
  if (event.type === "end") {
    const message = "The response had no status.";
    return { kind: "failed", code: "answer_malformed", message } as const;
  }
  const { type: kind, code, message } = event;
  return { kind, code, message, limitSecs };
}

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
        : "Sent. Waiting for the response.";
    case "headers":
      return `${event.status}. Reading the response.`;
    default:
      return null;
  }
}
