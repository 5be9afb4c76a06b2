import { setTimeout } from "node:timers/promises";
import { beforeAll, beforeEach } from "vitest";

const DAY_MS = 86_400_000;
/** Longer than a test takes that counts by the day. */
const TEST_MS = 5_000;
/** Longer than most files take, which may note the month before their first test. */
const FILE_MS = 20_000;

// What is spent in a day, by the ledger, the chain and the SDK, is counted anew at midnight in UTC, and files of the last day of a month
// read its statements: none begins shortly before.
beforeAll(() => passMidnight(FILE_MS));
beforeEach(() => passMidnight(TEST_MS));

async function passMidnight(withinMs: number): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs <= withinMs) await setTimeout(leftMs);
}
