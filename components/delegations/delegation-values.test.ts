import { expect, test } from "vitest";
import { ACCOUNT, readDelegation, simulatedPlans } from "./delegation-values.ts";

const card = { id: "pm_1", brand: "visa", last4: "4242", expMonth: 4, expYear: 2030 };
const plan = (planId: string, isCard: boolean) => ({
  currency: isCard ? "eur" : "usd",
  planId,
  name: planId,
  isCard,
  isTimePlan: false,
  credits: "0",
  topUpCredits: "100",
  topUpCents: "500",
  creditsPerCall: "1",
});
const known = { cards: [card], plans: [plan("chain", false), plan("card", true)] };
const values = {
  name: " Research bot ",
  limit: "20.00",
  durationSecs: 604_800,
  maxTransactions: "",
  backing: ACCOUNT,
  currency: "eur",
  planIds: ["chain"],
};

test("a delegation of the account is in dollars and covers the plans selected", () => {
  expect(readDelegation(values, known)).toEqual({
    input: {
      spendingLimitCents: "2000",
      durationSecs: 604_800,
      provider: "erc4337",
      currency: "usd",
      planIds: ["chain"],
      name: "Research bot",
    },
  });
});

test("a delegation of a card names the card and its currency", () => {
  expect(
    readDelegation({ ...values, name: " ", backing: card.id, planIds: ["card"] }, known),
  ).toEqual({
    input: {
      spendingLimitCents: "2000",
      durationSecs: 604_800,
      provider: "card-processor",
      providerPaymentMethodId: "pm_1",
      currency: "eur",
      planIds: ["card"],
    },
  });
});

test("a wrong limit is reported at its field", () => {
  expect(readDelegation({ ...values, limit: "" }, known)).toEqual({
    faults: { limit: "Enter an amount." },
  });
});

test.each([
  [{ planIds: ["chain", "card"] }, "planIds", "“card” is paid by card."],
  [{ backing: card.id }, "planIds", "“chain” is paid on chain."],
  [{ planIds: ["1234567890123"] }, "planIds", "can’t be read"],
  [{ backing: card.id, planIds: ["card"], currency: "gbp" }, "currency", "priced in EUR"],
])("a selected plan that it could not pay is never left out: %o", (more, field, text) => {
  const reading = readDelegation({ ...values, ...more }, known);
  expect(reading).toMatchObject({ faults: { [field]: expect.stringContaining(text) } });
});

test("only plans with credits that cost something can be simulated", () => {
  const plans = [plan("credits", false), { ...plan("time", false), isTimePlan: true }];
  const free = { ...plan("free", false), topUpCents: "0" };
  expect(simulatedPlans([...plans, free]).map(({ planId }) => planId)).toEqual(["credits"]);
});
