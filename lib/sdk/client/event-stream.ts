import { PaymentsError } from "../protocol/errors.ts";
import { AccountEvent } from "../protocol/events/event.ts";
import type { Connection } from "./connection.ts";
import { readAnswer } from "./read-answer.ts";
import type { Answer } from "./send-within.ts";
import { isPassing } from "./waiting/is-passing.ts";
import { MAX_TIMER_MS } from "./waiting/max-timer.ts";
import { pause } from "./waiting/pause.ts";

/** Where a stream of events begins and ends. */
export type EventStreamOptions = {
  /** The id or number of the last event you have; `0` for all events. By default, only new ones. */
  after?: string | number;
  signal?: AbortSignal;
};

/** The service sends a comment every 15 s; a connection that is silent for longer is dead. */
const SILENT_MS = 45_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** The events of `payments.events()`. */
export async function* streamEvents(
  connection: Connection,
  { after, signal }: EventStreamOptions = {},
): AsyncGenerator<AccountEvent, void> {
  let last = after === undefined ? undefined : String(after);
  let lastSequence = 0;
  let leastMs = 0;
  for (let failures = 0; ; failures++) {
    if (failures > 0) await pause(Math.max(leastMs, delayOf(failures)), signal).catch(() => {});
    if (signal?.aborted) return;
    leastMs = 0;
    const ended = new AbortController();
    const stop = () => ended.abort();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      for await (const { id, data } of readStream(connection, last, ended)) {
        failures = 0;
        const event = data && readEvent({ status: 200, headers: new Headers(), text: data });
        if (id) last = id;
        if (!event || event.sequence <= lastSequence) continue;
        lastSequence = event.sequence;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      // What the service refused stays refused; a connection that broke is opened again.
      if (!PaymentsError.is(error)) continue;
      if (!isPassing(error)) throw error;
      leastMs = Math.min(MAX_TIMER_MS, (error.retryAfterSecs ?? 0) * 1000);
    } finally {
      signal?.removeEventListener("abort", stop);
      ended.abort();
    }
  }
}

const readEvent = (answer: Answer) => readAnswer("events", AccountEvent, answer) as AccountEvent;

type Message = { id?: string; data?: string };

/** The messages of one connection. */
async function* readStream(
  connection: Connection,
  last: string | undefined,
  ended: AbortController,
): AsyncGenerator<Message, void> {
  let timer = setTimeout(() => ended.abort(), SILENT_MS);
  const headers = { accept: "text/event-stream", ...(last && { "last-event-id": last }) };
  try {
    const url = `${connection.baseUrl}/api/v1/events/stream`;
    const response = await connection.open(url, headers, ended.signal);
    if (response.status !== 200 || !response.body) {
      const { status, headers } = response;
      readEvent({ status, headers, text: await response.text() });
      return;
    }
    const reader = response.body.getReader();
    // A replaced `fetch` may not heed the signal.
    ended.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
    const decoder = new TextDecoder();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => ended.abort(), SILENT_MS);
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) yield messageOf(block);
    }
  } finally {
    clearTimeout(timer);
  }
}

const messageOf = (block: string): Message =>
  Object.fromEntries(
    block
      .split("\n")
      .map((line) => /^(id|data): (.*)$/.exec(line))
      .flatMap((found) => (found ? [[found[1], found[2]]] : [])),
  );

const delayOf = (failures: number): number =>
  Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1)) * (0.75 + Math.random() / 2);
