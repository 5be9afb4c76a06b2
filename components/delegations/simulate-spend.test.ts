import { expect, test } from "vitest";
import { perCallOf, simulateSpend } from "./simulate-spend.ts";

const plan = {
  callsPerDay: 100n,
  creditsPerCall: 1n,
  credits: 0n,
  topUpCredits: 100n,
  topUpCents: 1_000n,
};
const limits = { leftCents: 5_000n, chargesLeft: null, leftSecs: 30 * 86_400 };

test("the money is used up first when it buys less than the time needs", () => {
  expect(simulateSpend(plan, limits)).toEqual({
    endsBy: "money",
    afterSecs: 5 * 86_400,
    calls: 500n,
    topUps: 5n,
    spentCents: 5_000n,
  });
});

test("the charges are used up first when the money would pay for more", () => {
  expect(simulateSpend(plan, { ...limits, chargesLeft: 2n })).toMatchObject({
    endsBy: "charges",
    afterSecs: 2 * 86_400,
    topUps: 2n,
  });
});

test("it expires first when the money would last longer; the last top-up is paid in full", () => {
  expect(simulateSpend(plan, { ...limits, leftSecs: 36 * 3_600 })).toEqual({
    endsBy: "time",
    afterSecs: 36 * 3_600,
    calls: 150n,
    topUps: 2n,
    spentCents: 2_000n,
  });
});

test("existing credits are used before anything is spent", () => {
  expect(
    simulateSpend({ ...plan, credits: 1_000n }, { ...limits, leftSecs: 86_400 }),
  ).toMatchObject({ endsBy: "time", topUps: 0n, spentCents: 0n });
});

test("a top-up that costs nothing lasts as long as the time", () => {
  expect(simulateSpend({ ...plan, topUpCents: 0n }, limits)).toMatchObject({
    endsBy: "time",
    spentCents: 0n,
  });
});

test("no calls use nothing", () => {
  expect(simulateSpend({ ...plan, callsPerDay: 0n }, limits).endsBy).toBe("nothing");
});

test("a delegation without money left stops immediately", () => {
  expect(simulateSpend(plan, { ...limits, leftCents: 999n })).toMatchObject({
    endsBy: "money",
    afterSecs: 0,
    calls: 0n,
  });
});

test("another top-up has the credits per call of its plan, whatever was typed for the one before", () => {
  const pro = { planId: "pro", creditsPerCall: "25" };
  const typed = { planId: "basic", text: "3" };
  expect(perCallOf({ planId: "basic", creditsPerCall: "1" }, typed)).toBe("3");
  expect(perCallOf(pro, typed)).toBe("25");
  expect(perCallOf(pro, undefined)).toBe("25");
});
