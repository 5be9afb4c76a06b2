import type { RequestRecord } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { appendOlder, mergeNewest } from "./merge-rows.ts";

const row = (n: number, more: Partial<RequestRecord> = {}): RequestRecord => ({
  agentRequestId: `request-number-${n}`,
  at: new Date(Date.UTC(2026, 10, 21) + n * 1_000).toISOString(),
  moneyStatus: "settled",
  planId: "7",
  credits: "1",
  transaction: "",
  chainStatus: "none",
  ...more,
});
const down = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => row(from - index));
const numbers = (rows: { items: RequestRecord[] }) =>
  rows.items.map(({ agentRequestId }) => Number(agentRequestId.split("-").at(-1)));

describe("the live list", () => {
  const known = { items: down(10, 1), nextCursor: "older", total: 40 };

  test("adds new rows at the top and keeps older ones with their cursor", () => {
    const merged = mergeNewest(known, { items: down(12, 8), nextCursor: "here", total: 42 });
    expect(numbers(merged)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(merged).toMatchObject({ nextCursor: "older", total: 42 });
  });

  test("replaces rows whose payment status changed", () => {
    const items = [row(10, { moneyStatus: "unknown" }), ...down(9, 6)];
    const merged = mergeNewest(known, { items, nextCursor: "here", total: 40 });
    expect(merged.items[0]?.moneyStatus).toBe("unknown");
    expect(merged.items).toHaveLength(10);
  });

  test("drops rows that no longer match the filter", () => {
    const items = [row(10), row(8), row(6)];
    const merged = mergeNewest(known, { items, nextCursor: "here", total: 38 });
    expect(numbers(merged)).toEqual([10, 8, 6, 5, 4, 3, 2, 1]);
  });

  test("starts over when more arrived than a page holds", () => {
    const page = { items: down(30, 26), nextCursor: "here", total: 60 };
    expect(mergeNewest(known, page)).toEqual(page);
  });

  test("is the page itself when there are no older rows", () => {
    const page = { items: down(2, 1), total: 2 };
    expect(mergeNewest(known, page)).toEqual(page);
  });

  test("appends older rows without duplicates", () => {
    const grown = appendOlder(known, { items: [row(1), row(0)], total: 3 });
    expect(numbers(grown)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(grown.nextCursor).toBeUndefined();
    expect(grown.total).toBe(40);
  });
});
