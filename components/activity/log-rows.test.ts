import type { RequestRecord } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { nextLogRows, readsOn, startLogRows } from "./log-rows.ts";

const row = (n: number): RequestRecord => ({
  agentRequestId: `request-number-${n}`,
  at: new Date(Date.UTC(2026, 10, 21) + n * 1_000).toISOString(),
  moneyStatus: "settled",
  planId: "7",
  credits: "1",
  transaction: "",
  chainStatus: "none",
});
const page = (...numbers: number[]) => ({
  items: numbers.map(row),
  nextCursor: "older",
  total: 40,
});
const filter = "role=builder&range=24h";
const opened = (...numbers: number[]) => ({ filter, page: page(...numbers) });
const idsOf = ({ rows }: ReturnType<typeof startLogRows>) =>
  rows.items.map(({ agentRequestId }) => Number(agentRequestId.split("-").at(-1)));

test("counts the rows a new reading adds", () => {
  const first = startLogRows(opened(3, 2, 1));
  const next = nextLogRows(first, { filter, kind: "newestRead", page: page(5, 4, 3) });
  expect(next.added).toBe(2);
  expect(idsOf(next)).toEqual([5, 4, 3, 2, 1]);
  expect(nextLogRows(next, { filter, kind: "newestRead", page: page(5, 4, 3) }).added).toBe(0);
});

test("appends older rows, and keeps the list when they can't be read", () => {
  const reading = nextLogRows(startLogRows(opened(3, 2)), { filter, kind: "olderRequested" });
  expect(reading.older).toBe("reading");
  const failed = nextLogRows(reading, { filter, kind: "olderFailed" });
  expect([failed.older, idsOf(failed)]).toEqual(["failed", [3, 2]]);
  const read = nextLogRows(failed, { filter, kind: "olderRead", page: page(1) });
  expect([read.older, idsOf(read)]).toEqual(["idle", [3, 2, 1]]);
});

test("another filter starts the list anew, and answers to the previous one are ignored", () => {
  const reading = nextLogRows(startLogRows(opened(3, 2)), { filter, kind: "olderRequested" });
  const week = "role=builder&range=7d";
  const next = nextLogRows(reading, { filter: week, kind: "filterChosen", page: page(9, 8) });
  expect([next.filter, next.older, idsOf(next)]).toEqual([week, "idle", [9, 8]]);
  expect(nextLogRows(next, { filter, kind: "olderRead", page: page(1) })).toBe(next);
  expect(nextLogRows(next, { filter, kind: "newestRead", page: page(4) })).toBe(next);
});

test("the end of the list reads on, but not while it reads, after a failure or where nothing is older", () => {
  const idle = startLogRows(opened(3, 2));
  expect(readsOn(idle)).toBe(true);
  const reading = nextLogRows(idle, { filter, kind: "olderRequested" });
  expect(readsOn(reading)).toBe(false);
  const failed = nextLogRows(reading, { filter, kind: "olderFailed" });
  expect(readsOn(failed)).toBe(false);
  // The live tail goes on beside it.
  expect(readsOn(nextLogRows(failed, { filter, kind: "newestRead", page: page(4, 3) }))).toBe(
    false,
  );
  expect(readsOn(nextLogRows(failed, { filter, kind: "olderRead", page: page(1) }))).toBe(true);
  const { nextCursor: _, ...last } = page(1);
  expect(readsOn(startLogRows({ filter, page: last }))).toBe(false);
});
