import { expect, test } from "vitest";
import { AgentTaskStatus, AuthType, Environment } from "./enums.ts";
import { PlanCreditsType, PlanPriceType, PlanRedemptionType } from "./plans/plan-types.ts";

test("AuthType is NONE, BASIC or BEARER, read in any case (§2.12)", () => {
  expect(["NONE", "basic", "Bearer"].map((type) => AuthType.parse(type))).toEqual([
    "NONE",
    "BASIC",
    "BEARER",
  ]);
  expect(AuthType.safeParse("OAUTH").success).toBe(false);
});

test("the numbers of the plan enums are the specification's (§2.12)", () => {
  expect(PlanPriceType).toEqual({ FIXED_PRICE: 0, FIXED_FIAT_PRICE: 1, SMART_CONTRACT_PRICE: 2 });
  expect(PlanCreditsType).toEqual({ EXPIRABLE: 0, FIXED: 1, DYNAMIC: 2 });
  expect(PlanRedemptionType).toEqual({
    ONLY_GLOBAL_ROLE: 0,
    ONLY_OWNER: 1,
    ONLY_PLAN_ROLE: 2,
    ONLY_SUBSCRIBER: 4,
  });
});

test("task states and environments are closed lists", () => {
  expect(AgentTaskStatus.options).toEqual(["SUCCESS", "FAILED", "PENDING"]);
  expect(Environment.options).toEqual(["sandbox", "live"]);
});
