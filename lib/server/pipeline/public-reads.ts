import "server-only";
import { createHash } from "node:crypto";
import { PaymentsError, toJson } from "@turnpike/payments/protocol";
import { LRUCache } from "lru-cache";
import { createTurns } from "./turns.ts";

/** An answer as JSON, and for answers kept in memory what HTTP caches need. */
export type AnswerText = {
  text: string;
  kept?: {
    etag: string;
    secs: number;
    /** Sent as they are: a flood of readers would have the text encoded for each of them. */
    bytes: Uint8Array<ArrayBuffer>;
  };
};
type Read = {
  name: string;
  input: unknown;
  secs: number;
  /** Whose turn it is to read the database: the client's address, where it is known. */
  by?: string | undefined;
  /** Runs first when the answer is not in memory; what it throws is for this caller alone. */
  countMiss: () => Promise<void>;
  load: () => Promise<unknown>;
};

/** In characters of JSON; the parsed answers take about twice as much beside. */
const MAX_SIZE = 8 * 1024 * 1024;
/** Reads of the database that run at the same time, so that a paid call waits for no more than these. */
const MAX_RUNNING = 2;

const texts = new WeakMap<object, AnswerText>();

/** An operation's answer as JSON; one that is kept in memory is written once. */
export const answerText = (answer: unknown): AnswerText =>
  (typeof answer === "object" && answer && texts.get(answer)) || { text: toJson(answer) };

/** Writes an answer's JSON once, for all who may read it; HTTP caches keep it for seconds. */
export function keepText<Answer extends object>(answer: Answer, secs: number): Answer {
  const text = toJson(answer);
  const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  texts.set(answer, { text, kept: { etag, secs, bytes: new TextEncoder().encode(text) } });
  return answer;
}

/**
 * Answers of public reads, kept for seconds: equal reads at the same time are one, and what is written about plans and
 * agents through this process forgets them all. Another replica's writes are seen `secs` later. Holds only what everyone
 * may read.
 *
 * @example await reads.get({ name: "getPlan", input, secs: 2, countMiss, load })
 */
export function createPublicReads(clock: { now(): number } = performance) {
  const kept = new LRUCache<string, object>({
    perf: clock,
    ttlResolution: 0,
    maxSize: MAX_SIZE,
    sizeCalculation: (answer, key) => answerText(answer).text.length + key.length,
  });
  const loading = new Map<string, Promise<unknown>>();
  const turns = createTurns({ running: MAX_RUNNING });
  let cleared = 0;

  async function load(key: string, read: Read): Promise<unknown> {
    const end = await turns.take(read.by);
    const clearedBefore = cleared;
    try {
      const readMeanwhile = kept.get(key);
      if (readMeanwhile) return readMeanwhile;
      const answer = await read.load();
      // What was written meanwhile may not be in it.
      if (cleared === clearedBefore && typeof answer === "object" && answer) {
        kept.set(key, keepText(answer, read.secs), { ttl: read.secs * 1000 });
      }
      return answer;
    } finally {
      end?.();
    }
  }

  function start(key: string, read: Read): Promise<unknown> {
    const started = load(key, read);
    loading.set(key, started);
    const forget = () => {
      if (loading.get(key) === started) loading.delete(key);
    };
    started.then(forget, forget);
    return started;
  }

  return {
    async get(read: Read): Promise<unknown> {
      const key = `${read.name} ${toJson(read.input)}`;
      /** What another asker is reading. That it was not their turn says nothing about this caller's. */
      const join = () =>
        loading.get(key)?.catch(async (cause) => {
          if (!(cause instanceof PaymentsError && cause.code === "unavailable")) throw cause;
          await count();
          return start(key, read);
        });
      let isCounted = false;
      const count = async () => {
        if (!isCounted) await read.countMiss();
        isCounted = true;
      };
      const find = () => kept.get(key) ?? join();
      const known = find();
      if (known) return known;
      await count();
      return find() ?? start(key, read);
    },
    clear(): void {
      cleared += 1;
      kept.clear();
      loading.clear();
    },
  };
}
