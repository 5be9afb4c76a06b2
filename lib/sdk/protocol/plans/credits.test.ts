import { describe, expect, test } from "vitest";
import { PlanCreditsConfig } from "./credits.ts";
import {
  getDynamicCreditsConfig,
  getExpirableDurationConfig,
  getFixedCreditsConfig,
  getNonExpirableDurationConfig,
  setProofRequired,
  setRedemptionType,
} from "./credits-builders.ts";
import {
  ONE_DAY_DURATION,
  ONE_MONTH_DURATION,
  ONE_WEEK_DURATION,
  ONE_YEAR_DURATION,
} from "./credits-rules.ts";
import { PlanRedemptionType } from "./plan-types.ts";

const DEFAULTS = {
  redemptionType: PlanRedemptionType.ONLY_SUBSCRIBER,
  proofRequired: false,
  holderRequired: false,
  durationSecs: 0n,
};

describe("the fields of credits (§2.11)", () => {
  const minimal = { isRedemptionAmountFixed: true, amount: "100" };
  const parse = (members: Record<string, unknown>) =>
    PlanCreditsConfig.safeParse({ ...minimal, ...members });

  test("isRedemptionAmountFixed is required and a boolean", () => {
    expect(parse({ isRedemptionAmountFixed: undefined }).success).toBe(false);
    expect(parse({ isRedemptionAmountFixed: "true" }).success).toBe(false);
  });
  test("redemptionType is 0, 1, 2 or 4, and ONLY_SUBSCRIBER when left out", () => {
    expect(parse({}).data?.redemptionType).toBe(4);
    for (const type of [0, 1, 2, 4]) expect(parse({ redemptionType: type }).success).toBe(true);
    for (const type of [3, 5, -1, "4"]) expect(parse({ redemptionType: type }).success).toBe(false);
  });
  test("proofRequired is false when left out, and onchainMirror is another name for it", () => {
    expect(parse({}).data?.proofRequired).toBe(false);
    expect(parse({ onchainMirror: true }).data).toMatchObject({ proofRequired: true });
    expect(parse({ onchainMirror: true, proofRequired: false }).data?.proofRequired).toBe(false);
    expect(parse({ onchainMirror: true }).data).not.toHaveProperty("onchainMirror");
  });
  test("durationSecs is 0 when left out, for plans that never expire", () => {
    expect(parse({}).data?.durationSecs).toBe(0n);
    expect(parse({ durationSecs: "86400" }).data?.durationSecs).toBe(86_400n);
    expect(parse({ durationSecs: 1001n * ONE_YEAR_DURATION }).success).toBe(false);
  });
  test("amount is a decimal string, whatever it was given as", () => {
    for (const amount of ["100", 100, 100n]) expect(parse({ amount }).data?.amount).toBe("100");
    expect(parse({ amount: "1e2" }).success).toBe(false);
  });
  test("minAmount and maxAmount are 1 when left out, in order, and at least 1", () => {
    expect(parse({}).data).toMatchObject({ minAmount: 1n, maxAmount: 1n });
    expect(parse({ minAmount: 3, maxAmount: 2 }).error?.issues[0]?.path).toEqual(["minAmount"]);
    expect(parse({ minAmount: 0 }).success).toBe(false);
  });
  test("nftAddress is an optional address", () => {
    expect(parse({}).data).not.toHaveProperty("nftAddress");
    expect(parse({ nftAddress: "0x12" }).success).toBe(false);
  });
});

describe("the builders of credits (§2.11)", () => {
  test("getFixedCreditsConfig: fixed, min and max are the credits per request, 1 by default", () => {
    const credits = { ...DEFAULTS, isRedemptionAmountFixed: true, amount: "100" };
    expect(getFixedCreditsConfig(100n)).toEqual({ ...credits, minAmount: 1n, maxAmount: 1n });
    expect(getFixedCreditsConfig(100, 5)).toEqual({ ...credits, minAmount: 5n, maxAmount: 5n });
  });
  test("getDynamicCreditsConfig: not fixed, min and max as given, 1 by default", () => {
    const credits = { ...DEFAULTS, isRedemptionAmountFixed: false, amount: "100" };
    expect(getDynamicCreditsConfig(100n)).toEqual({ ...credits, minAmount: 1n, maxAmount: 1n });
    expect(getDynamicCreditsConfig("100", 2n, 9n)).toEqual({
      ...credits,
      minAmount: 2n,
      maxAmount: 9n,
    });
  });
  test("getExpirableDurationConfig: not fixed, one credit, the given duration", () => {
    expect(getExpirableDurationConfig(ONE_DAY_DURATION)).toEqual({
      ...DEFAULTS,
      isRedemptionAmountFixed: false,
      durationSecs: 86_400n,
      amount: "1",
      minAmount: 1n,
      maxAmount: 1n,
    });
  });
  test("getNonExpirableDurationConfig: as expirable with duration 0", () => {
    expect(getNonExpirableDurationConfig()).toEqual(getExpirableDurationConfig(0n));
  });
  test("setRedemptionType: a new config with the type replaced", () => {
    const before = getFixedCreditsConfig(1n);
    const after = setRedemptionType(before, PlanRedemptionType.ONLY_OWNER);
    expect(after).toEqual({ ...before, redemptionType: 1 });
    expect(before.redemptionType).toBe(4);
  });
  test("setProofRequired: a new config with the flag replaced, true by default", () => {
    const before = getFixedCreditsConfig(1n);
    expect(setProofRequired(before)).toEqual({ ...before, proofRequired: true });
    expect(setProofRequired(setProofRequired(before), false)).toEqual(before);
    expect(before.proofRequired).toBe(false);
  });
  test("amounts that are none are refused, and the message names the field", () => {
    expect(() => getFixedCreditsConfig(-1n)).toThrow("amount: Expected a whole number");
    expect(() => getDynamicCreditsConfig(1n, 5n, 2n)).toThrow("minAmount: The minimum is above");
    expect(() => getExpirableDurationConfig(1.5)).toThrow("durationSecs");
  });
});

test("durations are in seconds", () => {
  expect([ONE_DAY_DURATION, ONE_WEEK_DURATION, ONE_MONTH_DURATION, ONE_YEAR_DURATION]).toEqual([
    86_400n,
    604_800n,
    2_629_746n,
    31_557_600n,
  ]);
});
