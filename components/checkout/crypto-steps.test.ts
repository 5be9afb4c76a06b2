import { expect, test } from "vitest";
import { type CryptoFacts, missingFunds, nextAction, stepsBefore } from "./crypto-steps.tsx";

const facts: CryptoFacts = {
  account: "0x54F6EcF00fdEea628a15E3831f28a77B908B9812",
  chain: "Base Sepolia",
  isSandbox: true,
  isOwnWallet: false,
  price: {
    total: 1_000_000n,
    decimals: 6,
    currency: "USDC",
    isFree: false,
    isCard: false,
    tokenAddress: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    cents: 100n,
    limitCurrency: "usd",
  },
  funds: "2500000",
  grant: "100 credits",
};
const delegation = { delegationId: "d1", name: "Bot", leftCents: "500", currency: "usd" };

test.each([
  ["an account with enough money pays", {}, "pay"],
  ["an account that lacks money gets test money", { funds: "999999" }, "get-funds"],
  ["in live it waits for a transfer", { funds: "0", isSandbox: false }, "check-balance"],
  ["an unknown balance does not block the order", { funds: null }, "pay"],
  ["the subscriber's own wallet signs first", { isOwnWallet: true }, "sign"],
  ["unless a delegation covers the order", { isOwnWallet: true, delegation }, "pay"],
  ["or the plan is free", { isOwnWallet: true, price: { ...facts.price, isFree: true } }, "pay"],
] as const)("%s", (_, more, action) => {
  expect(nextAction({ ...facts, ...more })).toBe(action);
});

test("what is missing is never negative", () => {
  expect(missingFunds({ ...facts, funds: "400000" })).toBe(600_000n);
  expect(missingFunds(facts)).toBe(0n);
  expect(missingFunds({ ...facts, funds: null })).toBe(0n);
});

test("the steps say what is needed and what remains", () => {
  const funds = (more: Partial<CryptoFacts>) =>
    stepsBefore({ ...facts, ...more }).find(({ key }) => key === "funds");
  expect(funds({})?.verdict).toBe("Enough for 1.00 USDC. 1.50 USDC will remain.");
  expect(funds({ funds: "1" })?.verdict).toBe("You need 1.00 USDC.");
  expect(funds({ funds: null })?.status).toBe("warn");
  const free = { ...facts.price, total: 0n, isFree: true };
  expect(stepsBefore({ ...facts, price: free }).map(({ key }) => key)).toEqual([
    "account",
    "confirmed",
  ]);
});
