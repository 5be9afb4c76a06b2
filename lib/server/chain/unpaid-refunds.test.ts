import { getCryptoPriceConfig, getDynamicCreditsConfig } from "@turnpike/payments/protocol";
import { getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";

const PRICE = 1_000_000n;
/** Code that agrees to everything and does nothing. */
const NOTHING = "0x60205ff3";

describe.each(ruleStores())("an account whose own code leaves out transfers, $name", ({ open }) => {
  let database: Database;
  let service: ChainTestService;

  beforeAll(async () => {
    database = await open();
    service = await startChainTestService(database);
  });
  afterAll(async () => {
    await service.stop();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const setCode = (account: string, code: string) =>
    service.onChain.operator.client.request({
      method: "anvil_setCode",
      params: [account, code],
    } as never);

  test("its refund is refused for both sides, the credits return, and a later refund pays", async () => {
    const [builder, subscriber] = await Promise.all([service.party(), service.party()]);
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Ten" },
      getCryptoPriceConfig(PRICE, builder.address, service.usdc),
      getDynamicCreditsConfig(10n, 1n, 10n),
    );
    const { orderId } = await subscriber.payments.plans.orderPlan(planId);
    const sides = [builder, subscriber];
    const held = () => Promise.all(sides.map(({ address }) => service.money(address)));
    const before = await held();
    const expectAgreement = async () => {
      expect(await service.onChain.reconciler.run()).toMatchObject({ difference: 0n });
      for (const { money } of sides) {
        const { items } = await money.checkMoney({});
        expect(items[0]).toMatchObject({ currency: "usdc", difference: "0" });
      }
    };

    // Deploys the account, whose code is then replaced as its owner may.
    const { createRefund: refund, getRefund } = builder.payments.money;
    await refund({ orderId, amount: 100_000n });
    const address = getAddress(builder.address);
    const code = (await service.onChain.operator.client.getCode({ address })) ?? "0x";
    await setCode(address, NOTHING);
    const refused = await refund({ orderId, amount: 400_000n });
    expect(refused).toMatchObject({ status: "refused", failure: { code: "not_transferred" } });
    expect(refused.reference).toBeUndefined();
    expect(await getRefund(refused.refundId)).toEqual(refused);
    expect(await subscriber.payments.money.getRefund(refused.refundId)).toEqual(refused);
    expect(await held()).toEqual([(before[0] ?? 0n) - 100_000n, (before[1] ?? 0n) + 100_000n]);
    expect((await subscriber.payments.plans.getPlanBalance(planId)).balance).toBe(9n);
    await expectAgreement();
    const { items } = await subscriber.money.listMovements({});
    expect(items.filter(({ kind }) => kind === "refund")).toMatchObject([{ amount: "100000" }]);

    await setCode(address, code);
    expect(await refund({ orderId, amount: 400_000n })).toMatchObject({ status: "paid" });
    expect(await held()).toEqual([(before[0] ?? 0n) - 500_000n, (before[1] ?? 0n) + 500_000n]);
    await expectAgreement();
  });

  test("its withdrawal is refused, and its balance stays available", async () => {
    const owner = await service.party();
    const to = (await service.party({ isFunded: false })).address;
    await owner.money.addWithdrawalAddress({ address: to });
    await service.ports.clock.advance(service.ports.withdrawalWaitSecs + 1);
    await setCode(owner.address, NOTHING);
    const held = await service.money(owner.address);
    const withdraw = () =>
      owner.payments.money.createWithdrawal({ currency: "usdc", amount: held, to });
    for (const attempt of [withdraw, withdraw]) {
      await expect(attempt()).rejects.toMatchObject({
        code: "payment_refused",
        details: [{ path: "withdrawal", message: "not_transferred" }],
      });
    }
    expect(await service.money(owner.address)).toBe(held);
    expect(await service.money(to)).toBe(0n);
    const { items } = await owner.money.checkMoney({});
    expect(items[0]).toMatchObject({ currency: "usdc", difference: "0" });
  });
});
