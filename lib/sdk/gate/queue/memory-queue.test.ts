import { expect, test, vi } from "vitest";
import { createMemoryQueue } from "./memory-queue.ts";
import type { SettlementJob } from "./settlement-queue.ts";

const job = (agentRequestId: string): SettlementJob => ({ kind: "release", agentRequestId });
const ignore = () => {};

test("a job is retried until it is done", async () => {
  const queue = createMemoryQueue({ firstDelayMs: 1 });
  let tries = 0;
  queue.start(async () => (++tries === 3 ? "done" : "again"), ignore);
  queue.add(job("a"));
  await queue.idle();
  expect(tries).toBe(3);
});

test("a job that never succeeds is given up after its attempts, thrown errors included", async () => {
  const onGiveUp = vi.fn();
  const queue = createMemoryQueue({ firstDelayMs: 1, maxAttempts: 2, onGiveUp });
  queue.start(async () => {
    throw new Error("no");
  }, ignore);
  queue.add(job("a"));
  await queue.idle();
  expect(onGiveUp).toHaveBeenCalledExactlyOnceWith(job("a"), "tried 2 times");
});

test("a full queue reports the jobs it cannot take", async () => {
  const onGiveUp = vi.fn();
  const queue = createMemoryQueue({ firstDelayMs: 1, maxJobs: 1, onGiveUp });
  queue.start(async () => "done", ignore);
  queue.add(job("a"));
  queue.add(job("b"));
  expect(onGiveUp).toHaveBeenCalledExactlyOnceWith(job("b"), "1 jobs are waiting already");
  await queue.idle();
});

test("delays double up to their limit", async () => {
  vi.useFakeTimers();
  const at: number[] = [];
  const start = Date.now();
  const queue = createMemoryQueue({ firstDelayMs: 100, maxDelayMs: 300, maxAttempts: 4 });
  queue.start(async () => {
    at.push(Date.now() - start);
    return "again";
  }, ignore);
  queue.add(job("a"));
  await vi.advanceTimersByTimeAsync(2000);
  expect(at).toEqual([100, 300, 600, 900]);
  vi.useRealTimers();
});
