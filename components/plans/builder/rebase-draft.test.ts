import { expect, test } from "vitest";
import { MARKET, OWN_ADDRESS } from "../testing/arbitrary-plan.ts";
import { newDraft, type PlanDraft } from "./plan-draft.ts";
import { rebaseDraft } from "./rebase-draft.ts";

const priced = (amount: string, more: Partial<PlanDraft> = {}): PlanDraft => ({
  ...newDraft(MARKET, ""),
  rail: "stablecoin",
  receivers: [{ address: OWN_ADDRESS, amount }],
  ...more,
});

test("edited credits keep the price that was published since the form was opened", () => {
  const rebased = rebaseDraft(priced("1.00", { granted: "200" }), priced("1.00"), priced("2.00"));
  expect(rebased).toEqual(priced("2.00", { granted: "200" }));
});

test("an edited price is kept whole, so that its amount never changes currency", () => {
  const published = priced("2.00", { rail: "native", granted: "300" });
  expect(rebaseDraft(priced("1.50"), priced("1.00"), published)).toEqual(
    priced("1.50", { granted: "300" }),
  );
});
