import { ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { grantLimitText } from "./grant-limit.ts";

const TOKEN = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";

test.each([
  ["1.00 USDC", TOKEN, "1000000", "100"],
  ["0.01 ETH", ZERO_ADDRESS, "10000000000000000", "0"],
  ["77,000 smallest units", TOKEN, "77000", "0"],
])("a wallet is told that a grant allows up to %s", (text, orderToken, orderLimit, cents) => {
  const terms = { orderToken, orderLimit, spendingLimitCents: cents, currency: "usd" };
  expect(grantLimitText(terms)).toBe(text);
});
