import type { Budgets } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { checkLimit, inputOf, isScope, valuesOf } from "./read-budgets.ts";

const BUILDER = `0x${"Ab".repeat(20)}`;
const used = "0";
const BUDGETS: Budgets = {
  currency: "usd",
  limits: [
    { period: "week", unit: "money", limit: "2550", used, builder: BUILDER },
    { period: "call", unit: "credits", limit: "40", used, agentId: "7" },
    { period: "month", unit: "money", limit: "10000", used },
  ],
};

describe("the form of budgets", () => {
  test("shows limits of one builder or agent beside those over everything, and saves them alike", () => {
    const values = valuesOf(BUDGETS);
    expect(values.money.month).toBe("100.00");
    expect(values.scoped).toEqual([
      { of: BUILDER, period: "week", unit: "money", limit: "25.50" },
      { of: "7", period: "call", unit: "credits", limit: "40" },
    ]);
    const saved = BUDGETS.limits.map(({ used: _, ...limit }) => limit);
    expect(inputOf(values, BUDGETS).limits).toEqual(saved);
    // Empty members remove what was saved before.
    expect(inputOf(values, BUDGETS)).toMatchObject({ allow: {}, approval: {} });
  });

  test("amounts of thousands can be saved again untouched", () => {
    const limits = BUDGETS.limits.map((limit) => ({ ...limit, limit: "9000000" }));
    const values = valuesOf({
      ...BUDGETS,
      limits,
      approval: { above: 150_000n, newBuilders: false },
    });
    expect(checkLimit(values.money.month, 2)).toBe(true);
    expect(values.above).toBe("1500.00");
    expect(inputOf(values, BUDGETS).limits).toEqual(limits.map(({ used: _, ...limit }) => limit));
  });

  test("of two limits that differ in the amount alone, the lower one is shown and saved", () => {
    const more = BUDGETS.limits.map((limit) => ({ ...limit, limit: "9000000" }));
    const limits = [...BUDGETS.limits, ...more];
    expect(valuesOf({ ...BUDGETS, limits })).toEqual(valuesOf(BUDGETS));
  });

  test("a removed row is a removed limit", () => {
    const [first] = valuesOf(BUDGETS).scoped;
    const values = { ...valuesOf(BUDGETS), scoped: first ? [first] : [] };
    expect(inputOf(values, BUDGETS).limits).toHaveLength(2);
  });

  test("a limit needs an amount, and a builder or an agent", () => {
    expect(checkLimit(" ", 2)).toBe("Enter an amount.");
    expect(checkLimit("1.5", 0)).not.toBe(true);
    expect(checkLimit("1.50", 2)).toBe(true);
    expect(checkLimit("9".repeat(90), 2)).toBe("Enter a smaller amount.");
    for (const scope of [BUILDER, ` ${BUILDER} `, "7"]) expect(isScope(scope)).toBe(true);
    for (const text of ["", "Reader", "0x12", "7 8"]) expect(isScope(text)).toContain("Enter");
  });
});
