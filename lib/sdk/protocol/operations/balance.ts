import { Balance } from "../money-out.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { Nothing } from "./shared.ts";

export const balance = /* @__PURE__ */ defineCalls({
  /** Gets what you have: per currency available, pending, reserved and owed, and your credits by plan. */
  getBalance: { method: "GET", path: "/balance", input: Nothing, output: Balance },
});

export const balanceOperations = /* @__PURE__ */ serveCalls(
  { name: "balance", section: "Money", scope: "money" },
  balance,
  { getBalance: { summary: "Get what you have per currency, and your credits by plan" } },
);
