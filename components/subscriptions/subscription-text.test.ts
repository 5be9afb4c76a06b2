import { expect, test } from "vitest";
import { daysLeft, leftText } from "./subscription-text.ts";

test("a credit plan shows credits, a time plan shows access", () => {
  expect(leftText({ accessLimit: "credits", available: "1", isActive: true })).toBe("1 credit");
  expect(leftText({ accessLimit: "credits", available: "12000", isActive: true })).toBe(
    "12,000 credits",
  );
  expect(leftText({ accessLimit: "time", available: "1", isActive: false })).toBe("No access");
});

test("how long credits last follows the rate of the last thirty days", () => {
  expect(daysLeft({ available: "100", creditsUsed30d: "60" })).toBe(50n);
  expect(daysLeft({ available: "100", creditsUsed30d: "0" })).toBeUndefined();
});
