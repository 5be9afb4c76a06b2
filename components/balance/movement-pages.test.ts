import { expect, test } from "vitest";
import type { Movement } from "@/lib/console/money.ts";
import { areOtherMovements, movementPages } from "./movement-pages.ts";

const sale = (n: number, change: Partial<Movement> = {}): Movement => ({
  movementId: `movement-${n}`,
  kind: "sale",
  at: "2026-11-21T10:00:00.000Z",
  currency: "usd",
  amount: "100",
  isOpen: false,
  ...change,
});
const page = (nextCursor: string | undefined, ...items: Movement[]) => ({
  items,
  total: items.length,
  nextCursor,
});

test("older movements begin after the rows on screen", () => {
  const query = { currency: "usd" };
  expect(movementPages(query, page("after-1", sale(2), sale(1)))).toEqual({
    newest: undefined,
    older: "/balance?currency=usd&cursor=after-1",
  });
  expect(movementPages(query, page("after-2", sale(3), sale(2))).older).toBe(
    "/balance?currency=usd&cursor=after-2",
  );
  expect(movementPages({ cursor: "after-1" }, page(undefined, sale(0)))).toEqual({
    newest: "/balance",
    older: undefined,
  });
});

test("movements are other ones when one arrived or was completed", () => {
  const first = page("a", sale(2, { isOpen: true }), sale(1));
  expect(areOtherMovements(first, page("b", sale(2, { isOpen: true }), sale(1)))).toBe(false);
  expect(areOtherMovements(first, page("a", sale(2), sale(1)))).toBe(true);
  expect(areOtherMovements(first, page("a", sale(3), sale(2, { isOpen: true })))).toBe(true);
});
