import { ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { priceOf } from "../checkout/plan-price.ts";
import { orderMoney } from "./order-money.ts";

const USDC = `0x${"12".repeat(20)}`;
const delegation = { provider: "erc4337", currency: "usd" } as const;

/** The price of a plan paid on chain in a token. */
const priceIn = (tokenAddress: string, amount: string) =>
  priceOf(
    {
      registry: {
        price: { tokenAddress, amounts: [amount], receivers: [], isCrypto: true },
      },
    } as unknown as Parameters<typeof priceOf>[0],
    USDC,
  );

test("what a token may spend on orders is in the unit of its plan's price", () => {
  const text = (amount: string, price: ReturnType<typeof priceIn> | null) =>
    orderMoney(amount, delegation, price);
  expect(text("25000000", priceIn(USDC, "25000000"))).toBe("25.00 USDC");
  expect(text("10000000000000000", priceIn(ZERO_ADDRESS, "10000000000000000"))).toBe("0.01 ETH");
  expect(text("1234", priceIn(`0x${"ab".repeat(20)}`, "1234"))).toBe("1,234 smallest units");
});

test("of a plan that costs nothing, or is not known, it is in the unit of the delegation", () => {
  expect(orderMoney("0", delegation, priceIn(ZERO_ADDRESS, "0"))).toBe("0.00 USDC");
  expect(orderMoney("5000000", { provider: "card-processor", currency: "usd" }, null)).toBe(
    "5.00 USD",
  );
});
