import type { AnswerStore, KeptAnswer } from "./answer-store.ts";

/** Settings of `memoryAnswers`. */
export type MemoryAnswersOptions = {
  /** How many bytes of answers are kept; then the oldest are dropped. Default 32 MiB. */
  maxBytes?: number;
  /** How many answers are kept. Default 10 000. */
  maxAnswers?: number;
  /** How long an answer is kept. Default 24 hours. */
  maxAgeMs?: number;
};

/** Keeps answers in this process's memory. */
export function createMemoryAnswers({
  maxBytes = 32 * 1024 * 1024,
  maxAnswers = 10_000,
  maxAgeMs = 86_400_000,
}: MemoryAnswersOptions = {}): AnswerStore {
  const kept = new Map<string, { answer: KeptAnswer; size: number; endsAt: number }>();
  const claimed = new Set<string>();
  let bytes = 0;

  function forget(key: string): void {
    bytes -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  }

  return {
    claim(key) {
      const entry = kept.get(key);
      if (entry && entry.endsAt > performance.now()) return entry.answer;
      forget(key);
      if (claimed.has(key)) return "running";
      claimed.add(key);
      return "claimed";
    },
    keep(key, answer) {
      claimed.delete(key);
      forget(key);
      const size = key.length + answer.head.length + answer.body.byteLength;
      kept.set(key, { answer, size, endsAt: performance.now() + maxAgeMs });
      bytes += size;
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes && kept.size <= maxAnswers) break;
        forget(oldest);
      }
    },
    drop(key) {
      claimed.delete(key);
      forget(key);
    },
  };
}
