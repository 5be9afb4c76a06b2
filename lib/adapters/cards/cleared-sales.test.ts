import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { getBalance } from "@/lib/domain/money/balance.ts";
import type { PayoutProcessor } from "@/lib/domain/money/payout-ports.ts";
import { createPayout } from "@/lib/domain/money/payouts.ts";
import { resolvePayouts } from "@/lib/domain/money/resolve-payouts.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { type CardFixture, startCardFixture } from "./testing/card-fixture.ts";
import { openCardShop } from "./testing/card-shop.ts";

const PRICE = 5_000_000n;
const CLEARS_AFTER_SECS = 60;
const NOT_CLEARED = {
  code: "conflict",
  message: "The card payments behind your USD have not cleared yet.",
};

describe.each(ruleStores())("card sales that have not cleared, $name", ({ open }) => {
  let database: Database;
  let fixture: CardFixture;
  let service: TestService;

  beforeAll(async () => {
    [database, fixture] = await Promise.all([open(), startCardFixture()]);
    service = newService();
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
    await fixture.close();
  });

  const newService = (
    changes: Partial<PayoutProcessor> = {},
    feeBps = 0,
    parts: Partial<Parameters<typeof createTestService>[1]> = {},
  ) =>
    createTestService(database, {
      rails: [fixture.rail],
      cards: fixture.cards,
      ...parts,
      moneyOut: {
        payoutProcessor: { ...fixture.payouts, ...changes },
        platformFee: { defaultBps: feeBps, byController: new Map() },
      },
    });

  /** A builder who can be paid out, with a plan at 5.00. */
  async function openSeller(at = service) {
    const { builder, subscriber, planId } = await openCardShop(at);
    const { money } = builder.payments;
    await money.createPayoutAccount({});
    const setup = await at.ports.payouts.findAccount(builder.address);
    fixture.processor.controls.onboard(setup?.processorAccount ?? "");
    await money.createPayoutAccount({});
    return {
      address: builder.address,
      context: builder.context,
      processorAccount: setup?.processorAccount ?? "",
      refund: (orderId: string) => money.createRefund({ orderId }),
      async payoutNotes() {
        const of = "select 1 from audit where account = $1 and action = 'payout.create'";
        return database.query(of, [builder.address]);
      },
      async sell(clearsAfterSecs = 0) {
        fixture.processor.controls.setClearing(clearsAfterSecs);
        const { orderId } = await subscriber.payments.plans.orderPlan(planId);
        fixture.processor.controls.setClearing(0);
        return orderId;
      },
      pay: () => money.createPayout({ currency: "usd" }),
      async funds() {
        const usd = (await money.getBalance({})).currencies.find((of) => of.currency === "usd");
        return usd && [BigInt(usd.available), BigInt(usd.owed)];
      },
    };
  }

  async function pass(secs: number) {
    fixture.processor.controls.advance(secs);
    await service.ports.clock.advance(secs);
  }

  test("are not paid out of what another builder's sales cleared", async () => {
    const [first, second] = [await openSeller(), await openSeller()];
    await first.sell();
    await first.sell();
    await second.sell(CLEARS_AFTER_SECS);
    expect(await second.funds()).toEqual([0n, PRICE]);
    await expect(second.pay()).rejects.toMatchObject(NOT_CLEARED);
    expect(await first.funds()).toEqual([2n * PRICE, 0n]);
    expect(await first.pay()).toMatchObject({ status: "sent", amount: `${2n * PRICE}` });
    await pass(CLEARS_AFTER_SECS + 1);
    expect(await second.pay()).toMatchObject({ status: "sent", amount: `${PRICE}` });
  });

  test("stay owed while those that cleared are paid out, once", async () => {
    const seller = await openSeller();
    await openSeller().then((other) => other.sell());
    await seller.sell();
    await seller.sell(CLEARS_AFTER_SECS);
    const paid = await Promise.allSettled([seller.pay(), seller.pay(), seller.pay()]);
    const amounts = paid.flatMap((of) => (of.status === "fulfilled" ? [of.value.amount] : []));
    expect(amounts).toEqual([`${PRICE}`]);
    await expect(seller.pay()).rejects.toMatchObject(NOT_CLEARED);
    await pass(CLEARS_AFTER_SECS + 1);
    expect(await seller.pay()).toMatchObject({ amount: `${PRICE}` });
  });

  test("bring their fee with them, and what a dispute takes of them leaves the builder's cleared sales", async () => {
    const at = newService({}, 1000);
    const seller = await openSeller(at);
    const net = (PRICE * 9n) / 10n;
    await seller.sell();
    await seller.sell();
    const orderId = await seller.sell(CLEARS_AFTER_SECS);
    expect(await seller.funds()).toEqual([2n * net, net]);
    const order = await at.ports.orders.find(orderId);
    fixture.processor.controls.openDispute(order?.reference ?? "");
    await refreshOrder(at.ports, orderId);
    expect(await seller.pay()).toMatchObject({ amount: `${2n * net - PRICE}` });
    await pass(CLEARS_AFTER_SECS + 1);
    expect(await seller.pay()).toMatchObject({ amount: `${net}` });
  });

  test("are asked about again where the processor does not know yet when they clear", async () => {
    let isKnown = false;
    const clearingOf: PayoutProcessor["clearingOf"] = async (reference) =>
      isKnown ? fixture.payouts.clearingOf(reference) : null;
    const at = newService({ clearingOf });
    const seller = await openSeller(at);
    await seller.sell();
    expect(await seller.funds()).toEqual([0n, PRICE]);
    isKnown = true;
    await pass(601);
    await resolvePayouts(at.ports);
    const [owed] = await at.ports.payouts.owed(seller.address);
    expect(owed).toEqual({ currency: "usd", amount: PRICE, cleared: PRICE, converted: 0n });
    expect(await seller.funds()).toEqual([PRICE, 0n]);
  });

  /** What the processor converts stays in its own currency, whatever others have in this one. */
  async function sellConverted(seller: Awaited<ReturnType<typeof openSeller>>) {
    const { controls } = fixture.processor;
    controls.setSettlement(["eur"]);
    const orderId = await seller.sell();
    controls.setSettlement([]);
    return orderId;
  }

  longTest(
    "that were converted are not paid out of sales in their own currency, which is the operator's matter",
    async () => {
      const told: string[] = [];
      const error = (fields: object, message: string) => {
        told.push(`${JSON.stringify(fields)} ${message}`);
      };
      const at = newService({}, 0, { log: { info: () => {}, warn: () => {}, error } });
      const [first, second] = [await openSeller(), await openSeller(at)];
      await sellConverted(second);
      await first.sell();
      expect(await second.funds()).toEqual([0n, PRICE]);
      await expect(second.pay()).rejects.toMatchObject({
        code: "rail_unavailable",
        message: "Payouts in USD are not available on this service yet. Nothing changed.",
      });
      expect(told[0]).toContain("converts sales in this currency");
      expect(told[0]).toContain(second.address);
      await second.sell(CLEARS_AFTER_SECS);
      await expect(second.pay()).rejects.toMatchObject(NOT_CLEARED);
      expect(await first.pay()).toMatchObject({ amount: `${PRICE}` });
    },
  );

  test("that were converted take nothing from others when they are refunded", async () => {
    const seller = await openSeller();
    await seller.sell();
    const orderId = await sellConverted(seller);
    expect(await seller.funds()).toEqual([PRICE, PRICE]);
    await seller.refund(orderId);
    expect(await seller.funds()).toEqual([PRICE, 0n]);
    expect(await seller.pay()).toMatchObject({ amount: `${PRICE}` });
  });

  test("that went on to the builder with their charge block no older money", async () => {
    const accounts = new Map<string, string>();
    const { rail } = fixture.replica({ connectedAccounts: accounts });
    const at = newService({}, 0, { rails: [rail] });
    const seller = await openSeller(at);
    await seller.sell();
    accounts.set(seller.address.toLowerCase(), seller.processorAccount);
    await seller.sell(CLEARS_AFTER_SECS);
    const refunded = await seller.sell(CLEARS_AFTER_SECS);
    expect(await seller.funds()).toEqual([PRICE, 0n]);
    // A refund leaves the platform's balance before the sale has reached it.
    await seller.refund(refunded);
    expect(await seller.funds()).toEqual([0n, PRICE]);
    await pass(CLEARS_AFTER_SECS + 1);
    expect(await seller.funds()).toEqual([PRICE, 0n]);
    expect(await seller.pay()).toMatchObject({ amount: `${PRICE}` });
  });

  longTest(
    "that cannot be read are asked about less and less often, and daily in the end",
    async () => {
      const asked: string[] = [];
      const clearingOf: PayoutProcessor["clearingOf"] = async (reference) => {
        asked.push(reference);
        return null;
      };
      const at = newService({ clearingOf });
      const seller = await openSeller(at);
      const order = await at.ports.orders.find(await seller.sell());
      for (let hour = 0; hour < 24 * 5; hour += 1) {
        await resolvePayouts(at.ports);
        await pass(3_600);
      }
      const times = asked.filter((reference) => reference === order?.reference).length;
      expect(times).toBeGreaterThan(5);
      expect(times).toBeLessThan(15);
    },
  );

  test("that failed to be read are asked about again after ten minutes, however old they are", async () => {
    let isAway = true;
    const clearingOf: PayoutProcessor["clearingOf"] = async (reference) => {
      if (isAway) throw new Error("429");
      return fixture.payouts.clearingOf(reference);
    };
    const at = newService({ clearingOf });
    const seller = await openSeller(at);
    await seller.sell();
    await pass(5 * 86_400);
    await resolvePayouts(at.ports);
    isAway = false;
    await pass(601);
    await resolvePayouts(at.ports);
    expect(await at.ports.payouts.owed(seller.address)).toMatchObject([{ cleared: PRICE }]);
  });

  test("are asked about by one replica each, and by who waits for them", async () => {
    const asked: string[] = [];
    const clearingOf: PayoutProcessor["clearingOf"] = async (reference) => {
      asked.push(reference);
      return fixture.payouts.clearingOf(reference);
    };
    const at = newService({ clearingOf });
    const seller = await openSeller(at);
    for (let sale = 0; sale < 4; sale += 1) await seller.sell();
    await Promise.all([resolvePayouts(at.ports), resolvePayouts(at.ports)]);
    expect(new Set(asked).size).toBeGreaterThan(3);
    expect(asked).toHaveLength(new Set(asked).size);
    await seller.sell();
    await service.ports.payouts.takeUnclear(null, 100);
    expect(await createPayout(seller.context, { currency: "usd" })).toMatchObject({
      amount: String(5n * PRICE),
    });
  });

  test("are not asked about again by each look at the balance", async () => {
    let asked = 0;
    const clearingOf: PayoutProcessor["clearingOf"] = async () => {
      asked += 1;
      throw new Error("429");
    };
    const at = newService({ clearingOf });
    const seller = await openSeller(at);
    for (let sale = 0; sale < 4; sale += 1) await seller.sell();
    for (let look = 0; look < 10; look += 1) await getBalance(seller.context);
    expect(asked).toBe(4);
    await pass(601);
    await getBalance(seller.context);
    expect(asked).toBe(8);
  });

  test("that the processor does not find for a week are late work; those that fail to be read are not", async () => {
    let answer: "absent" | "away" = "away";
    const clearingOf: PayoutProcessor["clearingOf"] = async () => {
      if (answer === "away") throw new Error("429");
      return fixture.payouts.clearingOf("pi_1_gone");
    };
    const at = newService({ clearingOf });
    const seller = await openSeller(at);
    const orderId = await seller.sell();
    const lateOnes = async () => {
      const late = await database.query<{ subject: string }>(
        "select subject from list_late_work() where rule = 'inv_clearings_late'",
        [],
      );
      return late.map(({ subject }) => subject);
    };
    for (let day = 0; day < 9; day += 1) {
      await resolvePayouts(at.ports);
      await pass(86_401);
    }
    expect(await lateOnes()).not.toContain(orderId);
    answer = "absent";
    for (let day = 0; day < 9; day += 1) {
      await resolvePayouts(at.ports);
      await pass(86_401);
    }
    expect(await lateOnes()).toContain(orderId);
    await pass(86_401);
    await resolvePayouts(service.ports);
    expect(await lateOnes()).not.toContain(orderId);
  });

  const payWeekly = async ({ address }: { address: string }) =>
    service.ports.payouts.updateAccount(address, {
      schedule: "weekly",
      nextPayoutAt: await service.ports.clock.now(),
    });
  const away: PayoutProcessor["clearingOf"] = async () => {
    throw new Error("429");
  };

  test.each(["failed to be read", "wait for their turn"])(
    "that %s put a scheduled payout off by an hour, and a payout by hand says so",
    async (how) => {
      const [seller, other] = [await openSeller(), await openSeller()];
      await seller.sell();
      await seller.funds();
      for (const { sell } of [seller, seller, other]) await sell();
      await pass(61);
      await payWeekly(seller);
      const { payouts } = service.ports;
      const ports = {
        ...service.ports,
        ...(how.includes("failed") && {
          payoutProcessor: { ...fixture.payouts, clearingOf: away },
        }),
        ...(how.includes("turn") && { payouts: { ...payouts, takeUnclear: async () => [] } }),
      };
      await resolvePayouts(ports);
      expect(await payouts.owed(seller.address)).toMatchObject([{ amount: 3n * PRICE }]);
      await expect(
        createPayout({ ...other.context, ports }, { currency: "usd" }),
      ).rejects.toMatchObject({
        message: "The card processor has not answered yet which of your USD sales have cleared.",
      });
      await pass(3_601);
      await resolvePayouts(service.ports);
      expect(await payouts.owed(seller.address)).toEqual([]);
    },
  );

  test("that were all answered put no scheduled payout off, however many were due", async () => {
    const seller = await openSeller();
    await seller.sell();
    await pass(61);
    await payWeekly(seller);
    const { payouts } = service.ports;
    const takeUnclear = async (account: string | null, limit: number) =>
      account
        ? (await payouts.takeUnclear(account, limit)).flatMap((of) => Array(limit).fill(of))
        : [];
    await resolvePayouts({ ...service.ports, payouts: { ...payouts, takeUnclear } });
    expect(await payouts.owed(seller.address)).toEqual([]);
  });

  test("that fail to be read for a day put no scheduled payout off any more", async () => {
    const seller = await openSeller();
    await seller.sell();
    await seller.funds();
    await seller.sell();
    await pass(86_401);
    await payWeekly(seller);
    const payoutProcessor = { ...fixture.payouts, clearingOf: away };
    await resolvePayouts({ ...service.ports, payoutProcessor });
    expect(await service.ports.payouts.owed(seller.address)).toMatchObject([{ amount: PRICE }]);
  });

  longTest(
    "hold up no balance while the processor is slow: what is not known is said to be unconfirmed",
    async () => {
      const never = () => new Promise<never>(() => {});
      const at = newService({
        clearingOf: never,
        cleared: async () => {
          throw new Error("No answer in time.");
        },
      });
      const [known, slow] = [await openSeller(), await openSeller(at)];
      await known.sell();
      await slow.sell();
      expect(await slow.funds()).toEqual([0n, PRICE]);
      expect(await known.funds()).toEqual([PRICE, 0n]);
      const context = { ...known.context, ports: at.ports };
      const { currencies } = await getBalance(context);
      expect(currencies).toContainEqual(
        expect.objectContaining({ currency: "usd", available: `${PRICE}`, isUnconfirmed: true }),
      );
      expect((await getBalance(known.context)).currencies).not.toContainEqual(
        expect.objectContaining({ isUnconfirmed: true }),
      );
    },
  );

  test("leave no note of a payout that did not begin", async () => {
    const seller = await openSeller();
    await expect(seller.pay()).rejects.toMatchObject({ code: "conflict" });
    expect(await seller.payoutNotes()).toEqual([]);
    await seller.sell();
    await seller.pay();
    expect(await seller.payoutNotes()).toHaveLength(1);
  });
});
