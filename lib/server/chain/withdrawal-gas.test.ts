import { randomBytes } from "node:crypto";
import { getCryptoPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { toHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { expect, test } from "vitest";
import { PAYMENT_GAS } from "@/lib/adapters/chain/account-payments.ts";
import { startChainTestService } from "../testing/chain-service.ts";
import { shareChainService } from "../testing/shared-chain-service.ts";

/** Three withdrawals a day, and three refunds that leave a part, of at least a cent. */
const LIMITS = { gasPerAccount: 3 * PAYMENT_GAS, gasPerPlan: 0, floorCents: 1n };

const at = shareChainService(LIMITS);

test("T48: withdrawals have a least amount and a number a day, and the list of addresses says the amount", async () => {
  const owner = await at.service.party();
  const to = privateKeyToAddress(toHex(randomBytes(32)));
  expect(await owner.money.addWithdrawalAddress({ address: to })).toMatchObject({ least: "10000" });
  await at.service.ports.clock.advance(90_000);
  const withdraw = async (amount: bigint, key?: string) => {
    const input = { currency: "usdc", amount, to, ...(key && { idempotencyKey: key }) } as const;
    try {
      return (await owner.payments.money.createWithdrawal(input)).status;
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(await withdraw(9_999n)).toBe("Withdraw at least 0.01 USDC.");
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => withdraw(10_000n)));
  expect(outcomes.filter((outcome) => outcome === "paid")).toHaveLength(3);
  expect(new Set(outcomes.filter((outcome) => outcome !== "paid"))).toEqual(
    new Set([
      "Your account has made the 3 withdrawals a day whose gas the service pays. Nothing was sent.",
    ]),
  );
  expect(await at.service.money(to)).toBe(30_000n);
  await at.service.ports.clock.advance(25 * 3_600);
  expect(await withdraw(10_000n)).toBe("paid");
  expect(await withdraw(10_000n)).toBe("paid");
  // The last one of the day, sent twice under one key: both are told of the one that is paid.
  const twins = await Promise.all([1, 2].map(() => withdraw(10_000n, "last-of-the-day")));
  expect(twins).toEqual(["paid", "paid"]);
  expect(await at.service.money(to)).toBe(60_000n);
});

test("T48: where the budget is less than a withdrawal takes, one can be made a day, and not any number", async () => {
  const small = await startChainTestService(at.database, { ...LIMITS, gasPerAccount: 1 });
  const { stablecoin } = small.ports;
  await small.stop();
  expect(stablecoin?.withdrawals).toEqual({ least: 10_000n, mostADay: 1 });
});

test("T48: refunds in parts have the same least amount and number a day, and all that is left can always be refunded", async () => {
  const [builder, subscriber] = await Promise.all([at.service.party(), at.service.party()]);
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "Ten" },
    getCryptoPriceConfig(95_000n, builder.address, at.service.usdc),
    getFixedCreditsConfig(10n),
  );
  const { orderId } = await subscriber.payments.plans.orderPlan(planId);
  const { money } = builder.payments;
  expect(await money.getRefundable(orderId)).toMatchObject({ step: "1", least: "10000" });
  const refund = async (amount?: bigint) => {
    try {
      return (await money.createRefund({ orderId, ...(amount && { amount }) })).status;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const least = "Refund at least 0.01 USDC, or everything that is left.";
  expect(await refund(1n)).toBe(least);
  expect(await refund(9_999n)).toBe(least);
  const asked = { orderId, reason: "A part", amount: "9999" };
  await expect(subscriber.payments.money.requestRefund(asked)).rejects.toThrow(least);
  for (let part = 0; part < 3; part++) expect(await refund(10_000n)).toBe("paid");
  expect(await refund(10_000n)).toBe(
    "Your account has made the 3 refunds a day whose gas the service pays. Nothing was sent.",
  );
  await at.service.ports.clock.advance(25 * 3_600);
  expect(await refund(60_001n)).toBe("paid");
  expect(await money.getRefundable(orderId)).toMatchObject({ left: "4999" });
  expect(await refund(4_000n)).toBe(least);
  expect(await refund(4_999n)).toBe("paid");
});
