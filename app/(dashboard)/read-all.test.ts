import { describe, expect, test } from "vitest";
import { readMatching } from "./read-all.ts";

/** A list of the service, a page at a time. */
const listOf = (count: number) => {
  const all = Array.from({ length: count }, (_, id) => ({ id }));
  return async ({ limit, cursor = "0" }: { limit: number; cursor?: string }) => {
    const start = Number(cursor);
    const end = start + limit;
    return {
      items: all.slice(start, end),
      ...(end < count && { nextCursor: String(end) }),
    };
  };
};

describe("the rows that match", () => {
  test("are found behind a first page without any, and come in pages", async () => {
    const query = { limit: 50, matches: ({ id }: { id: number }) => id >= 150 };
    const first = await readMatching(listOf(230), query);
    expect(first).toMatchObject({ total: 80, nextCursor: "1", isWhole: true, first: { id: 0 } });
    expect(first.items.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, n) => 150 + n));
    const second = await readMatching(listOf(230), { ...query, cursor: "1" });
    expect(second.items.map(({ id }) => id).at(-1)).toBe(229);
    expect(second.nextCursor).toBeUndefined();
  });

  test("start at their first page for another list's cursor", async () => {
    const query = { limit: 50, cursor: "of-before", matches: () => true };
    expect((await readMatching(listOf(60), query)).items[0]).toEqual({ id: 0 });
  });

  test("of a list that is too long to read say that there may be more", async () => {
    const query = { limit: 50, matches: ({ id }: { id: number }) => id >= 1_000 };
    expect(await readMatching(listOf(1_100), query)).toMatchObject({ total: 0, isWhole: false });
  });
});
