import type { TokenDetails } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { tokenLimits } from "./token-limits.ts";

const limitsOf = (status: TokenDetails["status"], limits: Partial<TokenDetails> = {}) =>
  tokenLimits(
    {
      status,
      redemptionLimit: 1_000,
      redemptionsUsed: 12,
      redemptionsReserved: 1,
      redemptionsLeft: 987,
      orderLimit: "25000000",
      orderSpent: "5000000",
      orderReserved: "0",
      orderLeft: "20000000",
      delegation: { provider: "erc4337", currency: "usd" },
      ...limits,
    } as TokenDetails,
    null,
  );

test("an active token says what is left", () => {
  expect(limitsOf("Active")).toMatchObject({
    "Calls left": "987 of 1,000",
    "Left for orders": "20.00 of 25.00 USDC",
  });
});

for (const status of ["Revoked", "Expired", "Exhausted"] as const) {
  test(`a token that is ${status.toLowerCase()} says what it paid, and that nothing is left`, () => {
    expect(limitsOf(status)).toEqual({
      "Calls paid": "12 of 1,000",
      "Calls in progress": "1",
      "Spent on orders": "5.00 of 25.00 USDC",
      "Reserved for orders": "0.00 USDC",
    });
  });
}

test("a token that may spend no money, as for a free plan, says so", () => {
  const none = { orderLimit: "0", orderSpent: "0", orderReserved: "0", orderLeft: "0" };
  expect(limitsOf("Active", none)).toEqual({
    "Calls left": "987 of 1,000",
    "Calls in progress": "1",
    Orders: "None: it spends credits only",
  });
});
