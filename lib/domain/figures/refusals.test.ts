import { expect, test } from "vitest";
import { createRefusalLog, type RefusedAttempt } from "./refusals.ts";

const START = Date.parse("2026-11-22T10:00:00Z");

const attempt = (number: number, more: Partial<RefusedAttempt> = {}): RefusedAttempt => ({
  builder: "0xBuilder",
  agentRequestId: `request-${number}`,
  at: new Date(START),
  method: "POST",
  path: "/ask",
  planId: "1",
  agentId: null,
  payer: "0xPayer",
  tokenId: "jti",
  delegationId: "delegation",
  cause: "token_revoked",
  ...more,
});

async function drain(log: ReturnType<typeof createRefusalLog>) {
  while ((await log.flush()) > 0);
}

test("a flood by one builder or of one payer is kept within a minute's bound, others are not crowded out", async () => {
  const written: RefusedAttempt[] = [];
  const log = createRefusalLog(async (batch) => void written.push(...batch), {
    perBuilder: 30,
    perPayer: 10,
    reported: 300,
    waiting: 1_000,
  });
  for (let n = 0; n < 5_000; n++) log.note(attempt(n));
  for (let n = 0; n < 5_000; n++) log.note(attempt(5_000 + n, { payer: `0xOther${n}` }));
  log.note(attempt(1, { builder: "0xQuiet", payer: "0xQuietPayer" }));
  await drain(log);
  const of = (builder: string) => written.filter((row) => row.builder === builder);
  expect(of("0xBuilder")).toHaveLength(30);
  expect(written.filter(({ payer }) => payer === "0xPayer")).toHaveLength(10);
  expect(of("0xQuiet")).toHaveLength(1);
  log.note(attempt(1, { at: new Date(START + 60_000) }));
  await drain(log);
  expect(of("0xBuilder")).toHaveLength(31);
});

test("what may wait is bounded, a repeat of a request id waits once, and batches are small", async () => {
  const batches: number[] = [];
  const log = createRefusalLog(async (batch) => void batches.push(batch.length), {
    perBuilder: 100_000,
    perPayer: 100_000,
    reported: 300,
    waiting: 1_200,
  });
  for (let n = 0; n < 3_000; n++) log.note(attempt(n));
  for (let n = 0; n < 3_000; n++) log.note(attempt(n));
  await drain(log);
  expect(batches).toEqual([500, 500, 200]);
});

test("a batch that can't be written is dropped; noting goes on without an error", async () => {
  let isDown = true;
  const written: string[] = [];
  const log = createRefusalLog(async (batch) => {
    if (isDown) throw new Error("The database is down.");
    written.push(...batch.map(({ agentRequestId }) => agentRequestId));
  });
  log.note(attempt(1));
  await expect(log.flush()).rejects.toThrow("down");
  isDown = false;
  log.note(attempt(2));
  await drain(log);
  expect(written).toEqual(["request-2"]);
});
