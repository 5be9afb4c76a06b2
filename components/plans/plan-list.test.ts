import { describe, expect, test } from "vitest";
import { changedHref, PAGE_ROWS } from "../list-query.ts";
import { type PlanRow, readPlanListQuery, selectPlans } from "./plan-list.ts";

const row = (index: number, more: Partial<PlanRow> = {}): PlanRow => ({
  planId: String(1000 + index),
  name: `Plan ${index}`,
  price: "1.00 USDC",
  grant: "100 credits, 1 per call",
  rail: index % 2 === 0 ? "card" : "stablecoin",
  state: index % 3 === 0 ? "unlisted" : "listed",
  isTrial: false,
  version: 1,
  createdAt: new Date(Date.UTC(2026, 0, 100 - index)).toISOString(),
  ...more,
});
const rows = Array.from({ length: 60 }, (_, index) => row(index));

describe("a list of plans", () => {
  test("pages through every plan once by cursor, and back to the first page", () => {
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = selectPlans(rows, { sort: "newest", ...(after && { after }) });
      seen.push(...page.rows.map(({ planId }) => planId));
      after = page.older;
    } while (after);
    expect(seen).toEqual(rows.map(({ planId }) => planId));
    const second = selectPlans(rows, { sort: "newest", after: rows[PAGE_ROWS - 1]?.planId ?? "" });
    expect(second.newer).toBe("");
    const third = selectPlans(rows, { sort: "newest", after: second.older ?? "" });
    expect(third.newer).toBe(rows[PAGE_ROWS - 1]?.planId);
  });

  test("filters by every word of name or id, by state and by rail", () => {
    expect(selectPlans(rows, { sort: "newest", q: "PLAN 1007" }).rows).toEqual([rows[7]]);
    const { rows: found, total } = selectPlans(rows, {
      sort: "newest",
      state: "unlisted",
      rail: "card",
    });
    expect(total).toBe(10);
    expect(found.every(({ state, rail }) => state === "unlisted" && rail === "card")).toBe(true);
  });

  test("sorts by name and by age", () => {
    const names = [row(0, { name: "b" }), row(1, { name: "a" }), row(2, { name: "C" })];
    expect(selectPlans(names, { sort: "name" }).rows.map(({ name }) => name)).toEqual([
      "a",
      "b",
      "C",
    ]);
    expect(selectPlans(names, { sort: "oldest" }).rows[0]?.name).toBe("C");
  });

  test("an unknown cursor shows the first page", () => {
    expect(selectPlans(rows, { sort: "newest", after: "nothing" }).rows[0]).toEqual(rows[0]);
  });
});

describe("the URL of a list", () => {
  test("ignores unknown values", () => {
    expect(readPlanListQuery({ state: "gone", rail: ["card"], sort: "<script>", q: "  " })).toEqual(
      {
        sort: "newest",
      },
    );
  });

  test("a changed filter starts at the first page, and is read back unchanged", () => {
    const query = readPlanListQuery({ q: "a&b", state: "draft", after: "7", sort: "name" });
    const href = changedHref("/plans", query, { rail: "card" });
    expect(href).toBe("/plans?q=a%26b&state=draft&rail=card&sort=name");
    const params = Object.fromEntries(new URL(href, "http://x").searchParams);
    expect(readPlanListQuery(params)).toEqual({
      q: "a&b",
      state: "draft",
      rail: "card",
      sort: "name",
    });
  });
});
