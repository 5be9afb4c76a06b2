import { describe, expect, test } from "vitest";
import { amountToTake } from "./amount-to-take.ts";

type Plan = Parameters<typeof amountToTake>[0];

const planOf = (terms: Partial<Plan>) =>
  ({ accessLimit: "credits", isFixed: false, minAmount: 2n, maxAmount: 10n, ...terms }) as Plan;
const take = (terms: Partial<Plan>, maxAmount: bigint | undefined, reserved: bigint | null) =>
  amountToTake(planOf(terms), maxAmount, reserved);

describe("T15: a request takes", () => {
  test.each<[string, Partial<Plan>, bigint | undefined, bigint | null, bigint]>([
    ["nothing of a time plan", { accessLimit: "time" }, 5n, null, 0n],
    ["a fixed price", { isFixed: true }, undefined, null, 2n],
    ["a fixed price that is the cap", { isFixed: true }, 2n, null, 2n],
    ["a fixed price below the cap", { isFixed: true }, 3n, null, 2n],
    ["the fixed price that was reserved", { isFixed: true }, undefined, 7n, 7n],
    ["the fixed price that was reserved and is the cap", { isFixed: true }, 7n, 7n, 7n],
    ["the least of a range", {}, undefined, null, 2n],
    ["the least of a range, of more that is reserved", {}, undefined, 9n, 2n],
    ["what is asked for, from the least", {}, 2n, null, 2n],
    ["what is asked for, to the most", {}, 10n, null, 10n],
    ["what is asked for, up to what is reserved", {}, 5n, 5n, 5n],
    ["the least, when the most is reserved", {}, undefined, 10n, 2n],
  ])("%s", (_what, terms, maxAmount, reserved, amount) => {
    expect(take(terms, maxAmount, reserved)).toBe(amount);
  });
});

describe("T15: a request is refused, and told why,", () => {
  test.each<[string, Partial<Plan>, bigint, bigint | null, string]>([
    [
      "a cap below the price",
      { isFixed: true },
      1n,
      null,
      "This plan takes 2 credits a request; the maximum is 1.",
    ],
    [
      "a cap below what is reserved",
      { isFixed: true },
      6n,
      7n,
      "This plan takes 7 credits a request; the maximum is 6.",
    ],
    ["less than the range", {}, 1n, null, "This plan takes 2 to 10 credits a request, not 1."],
    ["more than the range", {}, 11n, null, "This plan takes 2 to 10 credits a request, not 11."],
    ["more than is reserved", {}, 6n, 5n, "Only 5 credits are reserved for this request, not 6."],
  ])("for %s", (_what, terms, maxAmount, reserved, message) => {
    expect(take(terms, maxAmount, reserved)).toEqual({ message });
  });
});
