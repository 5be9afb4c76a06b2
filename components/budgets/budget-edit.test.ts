import type { Budgets } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { isEdited, mergeBudgets } from "./budget-edit.ts";
import { valuesOf } from "./read-budgets.ts";

const used = "0";
const limitOf = (agentId: string, limit: string): Budgets["limits"][number] => ({
  ...{ period: "week", unit: "credits" },
  ...{ agentId, limit, used },
});
const saved = valuesOf({
  currency: "usd",
  limits: [limitOf("1", "10"), limitOf("2", "20"), { ...limitOf("", "500"), unit: "money" }],
  allow: { agents: ["1", "2"] },
  approval: { minutes: 5 },
});
const rowOf = (of: string, limit: string) =>
  ({ of, period: "week", unit: "credits", limit }) as const;

test("an edit of budgets that no one else changed is saved as it was typed", () => {
  const values = {
    ...saved,
    money: { ...saved.money, week: "" },
    scoped: [rowOf("3", "10"), rowOf("2", "20")],
    agents: "2\n3",
    minutes: "",
  };
  expect(isEdited({ saved, values })).toBe(true);
  expect(mergeBudgets({ saved, values }, saved)).toEqual(values);
});

test("what others set since stays, and what they removed stays removed", () => {
  const values = { ...saved, scoped: [...saved.scoped, rowOf("3", "30")], agents: "1\n2\n3" };
  const now = {
    ...saved,
    money: { ...saved.money, day: "20.00" },
    scoped: [rowOf("2", "20"), rowOf("4", "40")],
    agents: "2\n4",
    newBuilders: true,
  };
  expect(mergeBudgets({ saved, values }, now)).toEqual({
    ...now,
    scoped: [rowOf("2", "20"), rowOf("3", "30"), rowOf("4", "40")],
    agents: "2\n3\n4",
  });
});

test("an untouched form has no edit, and saving the same edit twice changes nothing more", () => {
  expect(isEdited({ saved, values: structuredClone(saved) })).toBe(false);
  const values = { ...saved, agents: "2\n3", scoped: [rowOf("1", "11"), rowOf("2", "20")] };
  const once = mergeBudgets({ saved, values }, saved);
  expect(mergeBudgets({ saved, values }, once)).toEqual(once);
});
