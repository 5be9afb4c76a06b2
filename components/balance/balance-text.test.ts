import { expect, test } from "vitest";
import { partsOf } from "./balance-text.ts";

test("what is owed says why it can't be paid out yet", () => {
  const balance = { currency: "usd", available: "0", pending: "0", reserved: "0", owed: "5000000" };
  const whyOwed = (owed: string, isPayable: boolean) =>
    partsOf({ ...balance, owed }, isPayable).find(({ key }) => key === "owed")?.why;
  expect(whyOwed("5000000", true)).toBe("Card payments clear a few days after the sale");
  expect(whyOwed("5000000", false)).toBe("Set up payouts to make it available");
  expect(whyOwed("-1", true)).toBe(
    "Refunds, chargebacks and their fees; your next sales cover these first",
  );
});

test("what the processor did not confirm is not promised", () => {
  const balance = { currency: "usd", available: "1", pending: "0", reserved: "0", owed: "0" };
  const why = (isUnconfirmed: boolean) => partsOf({ ...balance, isUnconfirmed }, true)[0]?.why;
  expect(why(false)).toBe("Pay out now");
  expect(why(true)).toBe("The card processor did not respond; the payout may be smaller");
});
