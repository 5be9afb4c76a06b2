import { expect, test } from "vitest";
import { ACCOUNT, readDelegation } from "./delegation-values.ts";

const card = { id: "pm_1", brand: "visa", last4: "4242", expMonth: 4, expYear: 2030 };
const plan = (planId: string, isCard: boolean) => ({
  planId,
  name: planId,
  isCard,
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
  planIds: ["chain", "card"],
};

test("a delegation of the account is in dollars and keeps the plans paid on chain", () => {
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

test("a delegation of a card names the card, its currency and the plans paid by card", () => {
  expect(readDelegation({ ...values, name: " ", backing: card.id }, known)).toEqual({
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
