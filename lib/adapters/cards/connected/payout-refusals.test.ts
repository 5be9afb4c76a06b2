import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { resolvePayouts } from "@/lib/domain/money/resolve-payouts.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { type CardFixture, startCardFixture } from "../testing/card-fixture.ts";
import { openCardShop } from "../testing/card-shop.ts";

const PRICE = 5_000_000n;

describe.each(ruleStores())("payouts that the processor does not make, $name", ({ open }) => {
  let database: Database;
  let fixture: CardFixture;
  let service: TestService;
  const logged: string[] = [];

  beforeAll(async () => {
    [database, fixture] = await Promise.all([open(), startCardFixture()]);
    const note = (level: string) => (fields: object, text: string) =>
      void logged.push(`${level} ${text} ${JSON.stringify(fields)}`);
    service = createTestService(database, {
      rails: [fixture.rail],
      cards: fixture.cards,
      log: { info: () => {}, warn: note("warn"), error: note("error") },
      moneyOut: {
        payoutProcessor: fixture.payouts,
        platformFee: { defaultBps: 0, byController: new Map() },
      },
    });
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
    await fixture.close();
  });

  /** A builder with one sale of 5.00 USD that has cleared, onboarded with bank accounts in these currencies. */
  async function openSeller(currencies = ["usd"]) {
    const { builder, subscriber, planId } = await openCardShop(service);
    const sell = () => subscriber.payments.plans.orderPlan(planId);
    await sell();
    const { money } = builder.payments;
    await money.createPayoutAccount({});
    const { processorAccount = "" } =
      (await service.ports.payouts.findAccount(builder.address)) ?? {};
    const { controls } = fixture.processor;
    controls.onboard(processorAccount, "complete", currencies);
    logged.length = 0;
    return {
      builder,
      processorAccount,
      sell,
      pay: () => money.createPayout({ currency: "usd" }),
      owed: async () => (await service.ports.payouts.owed(builder.address))[0],
      setup: () => service.ports.payouts.findAccount(builder.address),
      lastPayout: async () => (await money.listPayouts()).items[0],
      transfers: async () =>
        (await fixture.stripe.transfers.list({ destination: processorAccount })).data,
      async payDaily() {
        await builder.money.setPayoutSchedule({ schedule: "daily" });
        await service.ports.clock.advance(86_401);
        await resolvePayouts(service.ports);
      },
    };
  }

  test("in a currency that the builder's account would be sent converted move nothing, and say what to add", async () => {
    const seller = await openSeller(["eur"]);
    await expect(seller.pay()).rejects.toMatchObject({
      code: "conflict",
      message: "Your account at the processor has no bank account in USD. Nothing changed.",
    });
    await seller.payDaily();
    expect(logged).toEqual([expect.stringContaining("no bank account in its currency")]);
    expect(await seller.transfers()).toEqual([]);
    expect(await seller.owed()).toMatchObject({ amount: PRICE });
    fixture.processor.controls.onboard(seller.processorAccount, "complete", ["eur", "usd"]);
    await seller.payDaily();
    expect(await seller.lastPayout()).toMatchObject({ status: "sent", amount: `${PRICE}` });
  });

  test("below the processor's minimum stay owed, keep the schedule, and go out when there is more", async () => {
    const seller = await openSeller();
    const { controls } = fixture.processor;
    controls.setLeastPayout(2_000);
    await seller.payDaily();
    expect(await seller.lastPayout()).toMatchObject({
      status: "failed",
      failure: { message: expect.stringContaining("below the processor's minimum") },
    });
    expect(await seller.setup()).toMatchObject({ schedule: "daily" });
    expect(await seller.owed()).toMatchObject({ amount: PRICE });
    controls.setLeastPayout(1);
    await seller.payDaily();
    expect(await seller.lastPayout()).toMatchObject({ status: "sent" });
  });

  test("to an account where the platform can send nothing are the operator's matter, and not told as passing", async () => {
    const seller = await openSeller();
    const { processorAccount } = seller;
    fixture.processor.controls.onboard(processorAccount, "complete", ["usd"], "JP");
    const { status, failure } = await seller.pay();
    expect([status, failure?.message]).toEqual([
      "failed",
      expect.stringMatching(/country\. Contact support\.$/),
    ]);
    expect(logged).toEqual([
      expect.stringMatching(/^error transfer of a payout refused .*located in JP/),
    ]);
  });

  test("to an account that its owner closed go to the one that they set up next, and open it once", async () => {
    const seller = await openSeller();
    const { controls } = fixture.processor;
    const { money } = seller.builder.payments;
    expect(await seller.pay()).toMatchObject({ status: "sent" });
    controls.closeAccount(seller.processorAccount);
    await expect(seller.pay()).rejects.toMatchObject({
      code: "conflict",
      message: "Your account at the processor is closed.",
    });
    const opened = await Promise.all([1, 2].map(() => money.createPayoutAccount({})));
    expect(opened).toMatchObject([{ status: "onboarding" }, { status: "onboarding" }]);
    const { processorAccount = "" } = (await seller.setup()) ?? {};
    expect(processorAccount).not.toBe(seller.processorAccount);
    controls.onboard(processorAccount);
    await seller.sell();
    expect(await seller.pay()).toMatchObject({ status: "sent", amount: `${PRICE}` });
    expect(await fixture.payouts.transferredTo(processorAccount)).toMatchObject([
      { amount: PRICE },
    ]);
    const check = await seller.builder.money.checkMoney({});
    expect(check.items.map(({ difference }) => difference)).toEqual(["0"]);
  });

  test("to an account that its owner closed are warned of once, and go on by schedule to the next", async () => {
    const seller = await openSeller();
    await seller.builder.money.setPayoutSchedule({ schedule: "daily" });
    fixture.processor.controls.closeAccount(seller.processorAccount);
    const later = async (secs: number) => {
      await service.ports.clock.advance(secs);
      await resolvePayouts(service.ports);
    };
    await later(86_401);
    await later(3_601);
    expect(logged).toEqual([expect.stringContaining("account at the processor is closed")]);
    const setup = async () => (await seller.builder.money.getPayoutSetup({})).account;
    expect(await setup()).toMatchObject({ isClosed: true });
    await seller.builder.payments.money.createPayoutAccount({});
    const { processorAccount = "" } = (await setup()) ?? {};
    fixture.processor.controls.onboard(processorAccount);
    expect(await setup()).not.toHaveProperty("isClosed");
    await later(3_601);
    expect(await seller.lastPayout()).toMatchObject({ amount: `${PRICE}` });
  });

  test.each([
    ["requirements.pending_verification", "The processor is checking your account"],
    ["rejected.fraud", "The processor has rejected your account"],
  ] as const)(
    "to an account that is disabled for %s say so, and ask for nothing",
    async (reason, text) => {
      const seller = await openSeller();
      fixture.processor.controls.restrict(seller.processorAccount, true, reason);
      await expect(seller.pay()).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining(text),
      });
    },
  );

  test("because the platform's balance was emptied are the operator's matter, and not told as sales that have not cleared", async () => {
    const [seller, other] = [await openSeller(), await openSeller()];
    const { stripe } = fixture;
    const { available } = await stripe.balance.retrieve();
    const away = await stripe.transfers.create({
      amount: available.find(({ currency }) => currency === "usd")?.amount ?? 0,
      currency: "usd",
      destination: other.processorAccount,
    });
    await expect(seller.pay()).rejects.toMatchObject({
      code: "rail_unavailable",
      message: expect.stringContaining("balance at the card processor is too low"),
    });
    expect(logged[0]).toMatch(/^error .* payouts to manual/);
    await stripe.transfers.createReversal(away.id);
    expect(await seller.pay()).toMatchObject({ status: "sent" });
  });
});
