import { randomBytes } from "node:crypto";
import { getFiatPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import type { PayoutProcessor } from "@/lib/domain/money/payout-ports.ts";
import { createPayout } from "@/lib/domain/money/payouts.ts";
import { refreshPayout, resolvePayouts } from "@/lib/domain/money/resolve-payouts.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import { deathsAt, dying } from "@/lib/domain/testing/dying.ts";
import type { Onboarding } from "@/lib/sandbox/card-processor/accounts.ts";
import { backgroundWork } from "@/lib/server/background-work.ts";
import { createLedgerComparison } from "@/lib/server/comparison/ledger-comparison.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { inFull, longTest } from "@/lib/testing/in-full.ts";
import { createRandom } from "@/lib/testing/seeded-random.ts";
import { createPayoutProcessor } from "./payouts.ts";
import { type CardFixture, startCardFixture } from "./testing/card-fixture.ts";

const PRICE = 5_000_000n;
const SEED = Number(process.env.MONEY_SEED ?? 20_261_122);
const CONTROLLER = "0x00000000000000000000000000000000000000fc";

/** The processor with a list that does not show yet what was just made. */
const listingNoTransfers = (stripe: Stripe): Stripe =>
  Object.create(stripe, {
    transfers: {
      value: Object.create(stripe.transfers, {
        list: { value: () => stripe.transfers.list({ transfer_group: "none" }) },
      }),
    },
  });

describe.each(ruleStores())("payouts of card sales, $name", ({ open }) => {
  let database: Database;
  let fixture: CardFixture;
  let service: TestService;

  beforeAll(async () => {
    [database, fixture] = await Promise.all([open(), startCardFixture()]);
    service = newService(fixture.payouts);
  });
  afterAll(async () => {
    await expectMoneyIn();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
    await fixture.close();
  });

  const feeRates = new Map<string, number>();
  const newService = (
    payoutProcessor: PayoutProcessor,
    feeBps = 0,
    salesStop: () => string | null = () => null,
  ) =>
    createTestService(database, {
      salesStop,
      rails: [fixture.rail],
      cards: fixture.cards,
      moneyOut: {
        payoutProcessor,
        platformFee: {
          defaultBps: feeBps,
          byController: feeRates,
        },
      },
    });

  /** A builder with card sales of 5.00 each, onboarded unless `how` is null. */
  async function seller(
    options: { sales?: number; how?: Onboarding | null; at?: TestService; currency?: string } = {},
  ) {
    const { sales = 1, how = "complete", at = service, currency = "usd" } = options;
    const builder = await at.party();
    const orders = await sell(builder, sales, { at });
    const { status } = await builder.payments.money.createPayoutAccount({});
    expect(status).toBe("onboarding");
    const setup = await at.ports.payouts.findAccount(builder.address);
    const processorAccount = setup?.processorAccount ?? "";
    if (how) fixture.processor.controls.onboard(processorAccount, how, [currency]);
    return { builder, processorAccount, orders };
  }

  async function sell(
    builder: TestParty,
    times: number,
    {
      at = service,
      feeController = "",
      price = PRICE,
      currency = "USD",
      shares = [price],
    }: {
      at?: TestService;
      feeController?: string;
      price?: bigint;
      currency?: string;
      shares?: bigint[];
    } = {},
  ) {
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "By card" },
      {
        ...getFiatPriceConfig(price, builder.address, currency),
        ...{ amounts: shares, receivers: shares.map(() => builder.address) },
        ...(feeController && { feeController }),
      },
      getFixedCreditsConfig(100n, 1n),
    );
    const orders: string[] = [];
    for (let sale = 0; sale < times; sale += 1) {
      const buyer = await at.party();
      const { paymentMethodId } = await fixture.cards.saveCard(buyer.address, "pm_card_visa");
      const { orderId } = await buyer.payments.plans.orderPlan(planId, {
        providerPaymentMethodId: paymentMethodId ?? "",
      });
      orders.push(orderId);
    }
    return orders;
  }

  const usdOf = async ({ payments }: TestParty) => {
    const { currencies } = await payments.money.getBalance({});
    const usd = currencies.find(({ currency }) => currency === "usd");
    return usd && [usd.available, usd.pending, usd.owed].map((text) => BigInt(text));
  };
  const pay = ({ payments }: TestParty, idempotencyKey?: string) =>
    payments.money.createPayout({ currency: "usd", ...(idempotencyKey && { idempotencyKey }) });
  const receivedBy = async (processorAccount: string) => {
    const sums = await fixture.payouts.transferredTo(processorAccount);
    return sums.find(({ currency }) => currency === "usd")?.amount ?? 0n;
  };

  test("go from owed to available with onboarding, to pending with a payout, and out when the bank has it", async () => {
    const { builder, processorAccount } = await seller({ sales: 2, how: null });
    expect(await usdOf(builder)).toEqual([0n, 0n, 2n * PRICE]);
    const sum = { currency: "usd", amount: `${2n * PRICE}` };
    expect(await builder.figures.getEarnings()).toMatchObject({
      owed: [sum],
      pending: [],
      payouts: "inactive",
    });
    await expect(pay(builder)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("not set up"),
    });
    fixture.processor.controls.onboard(processorAccount);
    const { status } = await builder.payments.money.createPayoutAccount({});
    expect(status).toBe("active");
    expect(await usdOf(builder)).toEqual([2n * PRICE, 0n, 0n]);
    const sent = await pay(builder);
    expect(sent).toMatchObject({ status: "sent", amount: `${2n * PRICE}`, currency: "usd" });
    expect(await usdOf(builder)).toEqual([0n, 2n * PRICE, 0n]);
    expect(await builder.figures.getEarnings()).toMatchObject({
      owed: [],
      pending: [sum],
      payouts: "active",
    });
    const { payoutReference } = (await service.ports.payouts.findPayout(sent.payoutId)) ?? {};
    const payoutNow = async () =>
      (await builder.money.listMovements({})).items.find(({ kind }) => kind === "payout");
    expect(await payoutNow()).toMatchObject({ isOpen: true });
    fixture.processor.controls.finishPayout(payoutReference ?? "", null);
    await refreshPayout(service.ports, sent.payoutId);
    const { items } = await builder.payments.money.listPayouts();
    expect(items).toMatchObject([{ payoutId: sent.payoutId, status: "paid" }]);
    expect(await payoutNow()).toMatchObject({ isOpen: false });
    expect(await usdOf(builder)).toBeUndefined();
    const check = await builder.money.checkMoney({});
    expect(check.items.map(({ difference }) => difference)).toEqual(["0"]);
  });

  longTest(
    "a processor that opens no accounts is the operator's matter, and works as soon as it does",
    async () => {
      const { controls } = fixture.processor;
      const told: string[] = [];
      const note = (fields: object, message: string) => {
        told.push(`${JSON.stringify(fields)} ${message}`);
      };
      const log = { info: () => {}, warn: () => {}, error: note };
      const at = createTestService(database, {
        ...{ rails: [fixture.rail], cards: fixture.cards, log },
        moneyOut: { payoutProcessor: fixture.payouts },
      });
      const builder = await at.party();
      controls.setConnect(false);
      await expect(builder.payments.money.createPayoutAccount({})).rejects.toMatchObject({
        code: "rail_unavailable",
        message: "Payouts of card sales are not available on this service yet. Nothing changed.",
      });
      controls.setConnect(true);
      expect(told[0]).toContain("signed up for Connect");
      expect(told[0]).toContain("Enable Connect in Stripe's dashboard");
      const { status } = await builder.payments.money.createPayoutAccount({});
      expect(status).toBe("onboarding");
    },
  );

  test("are made once per idempotency key and never above what is owed, however many are requested at once", async () => {
    const { builder, processorAccount } = await seller({ sales: 3 });
    const key = randomBytes(8).toString("hex");
    const same = await Promise.all([pay(builder, key), pay(builder, key), pay(builder, key)]);
    expect(new Set(same.map(({ payoutId }) => payoutId)).size).toBe(1);
    await sell(builder, 1);
    const others = await Promise.allSettled([1, 2, 3, 4].map(() => pay(builder)));
    expect(others.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await receivedBy(processorAccount)).toBe(4n * PRICE);
    await expect(
      builder.payments.money.createPayout({ currency: "eur", idempotencyKey: key }),
    ).rejects.toMatchObject({ code: "idempotency_conflict" });
  });

  test("that the bank sends back are owed again, with the cause and what to do", async () => {
    const { builder, processorAccount } = await seller({ how: "closed-bank" });
    const { payoutId } = await pay(builder);
    await refreshPayout(service.ports, payoutId);
    const { items } = await builder.payments.money.listPayouts();
    expect(items).toMatchObject([
      {
        status: "failed",
        failure: { code: "account_closed", message: expect.stringContaining("Add another") },
      },
    ]);
    expect(await usdOf(builder)).toEqual([PRICE, 0n, 0n]);
    expect(await receivedBy(processorAccount)).toBe(0n);
  });

  test("whose money could not be taken back at first are owed again once it can be, under the key of that try", async () => {
    const { builder, processorAccount } = await seller();
    const { payoutId } = await pay(builder);
    const { payoutReference, transferReference } =
      (await service.ports.payouts.findPayout(payoutId)) ?? {};
    const { controls, faults } = fixture.processor;
    controls.finishPayout(payoutReference ?? "", "account_closed");
    // What the bank sent back is gone again: the processor refuses to take it back.
    const account = { stripeAccount: processorAccount };
    const other = await fixture.stripe.payouts.create({ amount: 500, currency: "usd" }, account);
    const stateNow = async () => (await service.ports.payouts.findPayout(payoutId))?.state;
    const tryAgain = async () => {
      await service.ports.clock.advance(301);
      await resolvePayouts(service.ports);
    };
    await refreshPayout(service.ports, payoutId);
    await tryAgain();
    expect(await stateNow()).toBe("returning");
    controls.finishPayout(other.id, "could_not_process");
    faults.add({ kind: "error-before", path: `/v1/transfers/${transferReference}/reversals` });
    await tryAgain();
    expect(await stateNow()).toBe("returning");
    // Another replica remembers neither the refusals nor the request whose outcome is unknown.
    const payout = await service.ports.payouts.findPayout(payoutId);
    if (!payout) throw new Error("There is no such payout.");
    await fixture.replica().payouts.takeBack(payout);
    await tryAgain();
    expect(await stateNow()).toBe("failed");
    expect(await usdOf(builder)).toEqual([PRICE, 0n, 0n]);
    expect(await receivedBy(processorAccount)).toBe(0n);
    const { data } = await fixture.stripe.events.list({ types: ["transfer.reversed"], limit: 1 });
    // Two refusals, then one key for as long as the outcome was unknown.
    expect(data[0]?.request?.idempotency_key).toBe(`trr_${transferReference}.2`);
  });

  test("that were transferred twice are taken back as a whole, newest first, and no retry takes twice", async () => {
    const [{ builder, processorAccount }] = [
      await seller({ sales: 3 }),
      await seller({ sales: 3 }),
    ];
    const { payoutId } = await pay(builder);
    const { payoutReference, transferReference } =
      (await service.ports.payouts.findPayout(payoutId)) ?? {};
    const again = await fixture.stripe.transfers.create({
      amount: 1_500,
      currency: "usd",
      destination: processorAccount,
      transfer_group: payoutId,
    });
    // Someone has taken a part of it back in the processor's dashboard.
    await fixture.stripe.transfers.createReversal(again.id, { amount: 400 });
    const { controls, faults } = fixture.processor;
    controls.finishPayout(payoutReference ?? "", "account_closed");
    const path = `/v1/transfers/${transferReference}/reversals`;
    faults.add({ kind: "lose-reply", path, times: 3 });
    await refreshPayout(service.ports, payoutId);
    expect((await service.ports.payouts.findPayout(payoutId))?.state).toBe("returning");
    faults.clear();
    const payout = await service.ports.payouts.findPayout(payoutId);
    if (!payout) throw new Error("There is no such payout.");
    await Promise.all([
      refreshPayout(service.ports, payoutId),
      fixture.replica().payouts.takeBack(payout),
    ]);
    await fixture.payouts.takeBack(payout);
    expect((await service.ports.payouts.findPayout(payoutId))?.state).toBe("failed");
    expect(await usdOf(builder)).toEqual([3n * PRICE, 0n, 0n]);
    expect(await receivedBy(processorAccount)).toBe(0n);
    const { data } = await fixture.stripe.transfers.list({ transfer_group: payoutId });
    expect(data.map(({ amount_reversed: reversed }) => reversed)).toEqual([1_500, 1_500]);
    const reversals = data.flatMap((transfer) => transfer.reversals.data);
    expect(reversals.map(({ amount }) => amount)).toEqual([1_100, 400, 1_500]);
  });

  test("that are refused before the processor lists their transfer have it taken back all the same", async () => {
    const { builder, processorAccount } = await seller();
    const late = createPayoutProcessor({
      stripe: listingNoTransfers(fixture.stripe),
      environment: "sandbox",
    });
    const { ports } = newService({
      ...late,
      async transfer(payout) {
        const made = await late.transfer(payout);
        fixture.processor.controls.restrict(processorAccount, true);
        return made;
      },
    });
    const failed = await createPayout({ ...builder.context, ports }, { currency: "usd" });
    expect(failed).toMatchObject({ status: "failed" });
    expect(await receivedBy(processorAccount)).toBe(0n);
    const payout = await service.ports.payouts.findPayout(failed.payoutId);
    if (!payout) throw new Error("There is no such payout.");
    // Without a transfer to be found it is unknown whether there is something to take back.
    await expect(late.takeBack({ ...payout, transferReference: null })).rejects.toThrow(
      "does not list the transfer yet",
    );
  });

  test("that the bank sends back days after it had them are owed again, without a word from the processor", async () => {
    const { builder, processorAccount } = await seller();
    const { payoutId } = await pay(builder);
    const { payoutReference } = (await service.ports.payouts.findPayout(payoutId)) ?? {};
    fixture.processor.controls.finishPayout(payoutReference ?? "", null);
    await refreshPayout(service.ports, payoutId);
    const statusOf = async () => (await builder.payments.money.listPayouts()).items[0]?.status;
    expect(await statusOf()).toBe("paid");
    fixture.processor.controls.finishPayout(payoutReference ?? "", "account_closed");
    await service.ports.clock.advance(86_401);
    await resolvePayouts(service.ports);
    expect(await statusOf()).toBe("failed");
    expect(await usdOf(builder)).toEqual([PRICE, 0n, 0n]);
    expect(await receivedBy(processorAccount)).toBe(0n);
  });

  test("that the bank keeps are looked at daily, and after a week no more", async () => {
    const { builder } = await seller();
    const { payoutId } = await pay(builder);
    const { payoutReference } = (await service.ports.payouts.findPayout(payoutId)) ?? {};
    fixture.processor.controls.finishPayout(payoutReference ?? "", null);
    await refreshPayout(service.ports, payoutId);
    const looks: string[] = [];
    const readPayout: PayoutProcessor["readPayout"] = (payout) => {
      if (payout.payoutId === payoutId) looks.push(payout.state);
      return fixture.payouts.readPayout(payout);
    };
    const { ports } = newService({ ...fixture.payouts, readPayout });
    for (let hour = 0; hour < 24 * 12; hour += 6) {
      await ports.clock.advance(6 * 3_600);
      await resolvePayouts(ports);
    }
    expect(looks.length).toBeGreaterThan(5);
    expect(looks.length).toBeLessThan(10);
    expect(new Set(looks)).toEqual(new Set(["paid"]));
  });

  test("of an account that is restricted half-way are owed again, and say what is missing", async () => {
    const { builder, processorAccount } = await seller();
    const restricting: PayoutProcessor = {
      ...fixture.payouts,
      async transfer(payout) {
        const made = await fixture.payouts.transfer(payout);
        fixture.processor.controls.restrict(processorAccount, true);
        return made;
      },
    };
    const at = newService(restricting);
    const failed = await createPayout({ ...builder.context, ports: at.ports }, { currency: "usd" });
    expect(failed).toMatchObject({ status: "failed", failure: { code: "payouts_not_allowed" } });
    expect(await receivedBy(processorAccount)).toBe(0n);
    await expect(pay(builder)).rejects.toMatchObject({
      code: "conflict",
      details: [{ path: "individual.verification.document" }],
    });
    expect(await usdOf(builder)).toEqual([0n, 0n, PRICE]);
  });

  test("that the bank step refuses end their schedule, and say what was refused there", async () => {
    const { builder, processorAccount } = await seller();
    await builder.money.setPayoutSchedule({ schedule: "daily" });
    const told: string[] = [];
    const warn = (fields: object, message: string) => {
      told.push(`${message} ${JSON.stringify(fields)}`);
    };
    const at = createTestService(database, {
      ...{ rails: [fixture.rail], cards: fixture.cards },
      log: { info: () => {}, warn, error: () => {} },
      moneyOut: {
        payoutProcessor: {
          ...fixture.payouts,
          // What arrives in the account is gone before the bank step.
          async transfer(payout) {
            const made = await fixture.payouts.transfer(payout);
            const drain = { amount: 500, currency: "usd" };
            const gone = await fixture.stripe.payouts.create(drain, {
              stripeAccount: processorAccount,
            });
            drained.push(gone.id);
            return made;
          },
        },
      },
    });
    const drained: string[] = [];
    for (let day = 0; day < 3; day += 1) {
      await at.ports.clock.advance(86_401);
      await resolvePayouts(at.ports);
      for (const id of drained.splice(0)) {
        fixture.processor.controls.finishPayout(id, "could_not_process");
      }
    }
    const { items } = await builder.payments.money.listPayouts();
    expect(items).toMatchObject([
      {
        status: "failed",
        failure: {
          code: "balance_insufficient",
          message: expect.stringMatching(
            /^Your account at the processor has less.* Your payout schedule is now manual\.$/,
          ),
        },
      },
    ]);
    expect(told).toContainEqual(expect.stringMatching(/^payout refused .*"reason":"[^"]/));
    expect(await service.ports.payouts.findAccount(builder.address)).toMatchObject({
      schedule: "manual",
      nextPayoutAt: null,
    });
    expect(
      await database.query(
        "select before, after from audit where account = $1 and action = 'payout.schedule' order by id",
        [builder.address],
      ),
    ).toEqual([
      { before: { schedule: "manual" }, after: { schedule: "daily" } },
      { before: { schedule: "daily" }, after: { schedule: "manual" } },
    ]);
    expect(await receivedBy(processorAccount)).toBe(0n);
  });

  test("whose replica is killed when the bank step is refused end their schedule, and say so", async () => {
    const { builder } = await seller();
    await builder.payments.money.createPayoutAccount({});
    await builder.money.setPayoutSchedule({ schedule: "weekly" });
    const failure = { code: "payouts_not_allowed", message: "Your payouts are paused." };
    const refusal = { ...failure, isOfAccount: true };
    const payOut: PayoutProcessor["payOut"] = async () => ({ failure: refusal });
    const at = newService({ ...fixture.payouts, payOut });
    const ports = dying(at.ports, { step: "payouts.beginReturn", when: "before" });
    await createPayout({ ...builder.context, ports }, { currency: "usd" }).catch(() => undefined);
    await at.ports.clock.advance(61);
    await resolvePayouts(at.ports);
    const { items } = await builder.payments.money.listPayouts();
    const message = `${failure.message} Your payout schedule is now manual.`;
    expect(items).toMatchObject([{ status: "failed", failure: { ...failure, message } }]);
    expect(await at.ports.payouts.findAccount(builder.address)).toMatchObject({
      schedule: "manual",
      nextPayoutAt: null,
    });
  });

  test("leave out what a dispute took, and what it took after a payout is carried forward", async () => {
    const { builder, orders } = await seller({ sales: 2 });
    const dispute = async (orderId: string | undefined) => {
      const order = await service.ports.orders.find(orderId ?? "");
      const id = fixture.processor.controls.openDispute(order?.reference ?? "");
      await refreshOrder(service.ports, orderId ?? "");
      return id;
    };
    await dispute(orders[0]);
    expect(await pay(builder)).toMatchObject({ amount: `${PRICE}` });
    await dispute(orders[1]);
    expect((await usdOf(builder))?.[2]).toBe(-PRICE);
    await expect(pay(builder)).rejects.toMatchObject({
      message: expect.stringContaining("exceed what you earned by 5.00 USD"),
    });
    await sell(builder, 2);
    expect(await pay(builder)).toMatchObject({ amount: `${PRICE}` });
  });

  test("are less the platform's fee, of the plan's fee controller where it may name one", async () => {
    const at = newService(fixture.payouts, 250);
    const { builder } = await seller({ at });
    feeRates.set(`${CONTROLLER}/${builder.address.toLowerCase()}`, 1000);
    const ofController = await sell(builder, 1, { at, feeController: CONTROLLER });
    expect(ofController).toHaveLength(1);
    // 2.5 % of the first sale, without its half a cent, and 10 % of the second.
    const fees = 120_000n + 500_000n;
    expect(await pay(builder)).toMatchObject({ amount: `${2n * PRICE - fees}` });
    expect((await usdOf(builder))?.[2]).toBe(0n);
    const { items } = await builder.money.listMovements({});
    expect(items.filter(({ kind }) => kind === "fee").map(({ amount }) => amount)).toEqual(
      expect.arrayContaining(["-120000", "-500000"]),
    );
    const { builder: another } = await seller({ sales: 0, at });
    await sell(another, 1, { at, feeController: CONTROLLER });
    expect(await pay(another)).toMatchObject({ amount: `${PRICE - 120_000n}` });
  });

  test("are less the fee of the whole price, however it is split", async () => {
    const at = newService(fixture.payouts, 250);
    const { builder } = await seller({ sales: 0, at });
    const shares = Array<bigint>(16).fill(390_000n);
    await sell(builder, 1, { at, price: 6_240_000n, shares });
    const { items } = await builder.money.listMovements({});
    const fees = items.filter(({ kind }) => kind === "fee");
    expect(fees.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(-150_000n);
  });

  // The fee is 2.5 %, in what payouts are multiples of. Prices and payouts are in millionths, what arrives is as the processor counts it.
  test.each([
    { currency: "UGX", price: 20_000_000_000n, paid: 19_500_000_000n, arrived: 1_950_000 },
    { currency: "ISK", price: 1_010_000_000n, paid: 985_000_000n, arrived: 98_500 },
    { currency: "HUF", price: 411_000_000n, paid: 401_000_000n, arrived: 40_100 },
    { currency: "KWD", price: 5_010_000n, paid: 4_890_000n, arrived: 4_890 },
    { currency: "JPY", price: 1_010_000_000n, paid: 985_000_000n, arrived: 985 },
  ])("of $currency are all that the fee leaves, as the processor pays it out", async (of) => {
    const { price, paid, arrived } = of;
    const currency = of.currency.toLowerCase();
    const at = newService(fixture.payouts, 250);
    const { builder, processorAccount } = await seller({ sales: 0, at, currency });
    await sell(builder, 1, { at, price, currency: of.currency });
    const made = await builder.payments.money.createPayout({ currency });
    expect(made).toMatchObject({ status: "sent", amount: `${paid}`, currency });
    const account = { stripeAccount: processorAccount };
    const [transfers, payouts] = await Promise.all([
      fixture.stripe.transfers.list({ destination: processorAccount }),
      fixture.stripe.payouts.list({}, account),
    ]);
    expect(transfers.data).toMatchObject([{ amount: arrived, currency }]);
    expect(payouts.data).toMatchObject([{ amount: arrived, currency }]);
    const { currencies } = await builder.payments.money.getBalance({});
    const rest = { available: "0", pending: `${paid}`, owed: "0" };
    expect(currencies.find((each) => each.currency === currency)).toMatchObject(rest);
    const check = await builder.money.checkMoney({});
    expect(check.items.map(({ difference }) => difference)).toEqual(["0"]);
  });

  test("of HUF leave nothing after a refund; a price of an earlier release is sold, and refunded to the last hundredth", async () => {
    const at = newService(fixture.payouts, 250);
    const { builder } = await seller({ sales: 0, at, currency: "huf" });
    const { money, plans } = builder.payments;
    const [orderId = ""] = await sell(builder, 1, { at, price: 411_000_000n, currency: "HUF" });
    await expect(money.createRefund({ orderId, amount: 1_500_000n })).rejects.toMatchObject({
      details: [{ path: "amount", message: "Use a multiple of 1000000." }],
    });
    await money.createRefund({ orderId, amount: 1_000_000n });
    await money.createPayout({ currency: "huf" });
    const { currencies } = await money.getBalance({});
    expect(currencies.find(({ currency }) => currency === "huf")).toMatchObject({
      pending: "400000000",
      owed: "0",
    });

    const { planId = "" } = (await at.ports.orders.find(orderId)) ?? {};
    await database.query(
      `update plan_versions set price = jsonb_set(price, '{amounts,0}', '"411500000"') where plan_id = $1`,
      [planId],
    );
    await plans.updatePlan(planId, { metadataAttributes: { name: "Renamed" } });
    const buyer = await at.party();
    const { paymentMethodId = "" } = await fixture.cards.saveCard(buyer.address, "pm_card_visa");
    const card = { providerPaymentMethodId: paymentMethodId };
    const earlier = await buyer.payments.plans.orderPlan(planId, card);
    const refunded = { orderId: earlier.orderId };
    expect(await money.createRefund({ ...refunded, amount: 500_000n })).toMatchObject({
      status: "paid",
    });
    expect(await money.createRefund(refunded)).toMatchObject({ amount: "411000000" });
  });

  test("of HUF: what a refund of hundredths at the processor leaves can be refunded, whole or so that no hundredths are left", async () => {
    const at = newService(fixture.payouts, 250);
    const { builder } = await seller({ sales: 0, at, currency: "huf" });
    const { money } = builder.payments;
    const price = { at, price: 411_000_000n, currency: "HUF" };
    const orders = await sell(builder, 2, price);
    for (const orderId of orders) {
      const { reference } = (await at.ports.orders.find(orderId)) ?? {};
      await fixture.stripe.refunds.create({ payment_intent: reference ?? "", amount: 150 });
      await refreshOrder(at.ports, orderId);
    }
    const [orderId = "", other = ""] = orders;
    const refundable = await money.getRefundable(orderId);
    expect(refundable).toMatchObject({ left: "409500000", step: "1000000" });
    expect(await money.createRefund({ orderId })).toMatchObject({ amount: "409500000" });
    const refundOf = (amount: bigint) => money.createRefund({ orderId: other, amount });
    await expect(refundOf(250_000n)).rejects.toMatchObject({ code: "invalid_input" });
    expect(await refundOf(500_000n)).toMatchObject({ status: "paid" });
    await money.createPayout({ currency: "huf" });
    const { currencies } = await money.getBalance({});
    const rest = currencies.find(({ currency }) => currency === "huf");
    expect(rest).toMatchObject({ available: "0", owed: "0" });
  });

  test("follow a schedule, once each time", async () => {
    const { builder } = await seller();
    const { account } = await builder.money.setPayoutSchedule({ schedule: "daily" });
    expect(account?.nextPayoutAt).toBeDefined();
    await resolvePayouts(service.ports);
    expect((await builder.payments.money.listPayouts()).items).toEqual([]);
    await service.ports.clock.advance(86_401);
    await Promise.all([resolvePayouts(service.ports), resolvePayouts(service.ports)]);
    const { items } = await builder.payments.money.listPayouts();
    expect(items).toMatchObject([{ amount: `${PRICE}` }]);
  });

  test("a schedule that is set to manual before its turn pays nothing, and stays manual", async () => {
    const { builder } = await seller();
    await builder.money.setPayoutSchedule({ schedule: "daily" });
    await service.ports.clock.advance(86_401);
    const { payouts } = service.ports;
    const listDueAccounts = async (limit: number) => {
      const due = await payouts.listDueAccounts(limit);
      await builder.money.setPayoutSchedule({ schedule: "manual" });
      return due;
    };
    await resolvePayouts({ ...service.ports, payouts: { ...payouts, listDueAccounts } });
    await service.ports.clock.advance(2 * 86_401);
    await resolvePayouts(service.ports);
    expect((await builder.payments.money.listPayouts()).items).toEqual([]);
    expect(await service.ports.payouts.findAccount(builder.address)).toMatchObject({
      schedule: "manual",
      nextPayoutAt: null,
    });
  });

  test("a schedule that changes while its payout is under way stays as it was set", async () => {
    const { builder } = await seller();
    await builder.money.setPayoutSchedule({ schedule: "daily" });
    await service.ports.clock.advance(86_401);
    const { payouts } = service.ports;
    const begin: typeof payouts.begin = async (...input) => {
      const begun = await payouts.begin(...input);
      await builder.money.setPayoutSchedule({ schedule: "manual" });
      return begun;
    };
    await resolvePayouts({ ...service.ports, payouts: { ...payouts, begin } });
    expect((await builder.payments.money.listPayouts()).items).toHaveLength(1);
    expect(await service.ports.payouts.findAccount(builder.address)).toMatchObject({
      schedule: "manual",
      nextPayoutAt: null,
    });
  });

  test("a schedule that is set to manual when its next time is written pays nothing more", async () => {
    const { builder } = await seller();
    await builder.money.setPayoutSchedule({ schedule: "daily" });
    await service.ports.clock.advance(86_401);
    const { payouts } = service.ports;
    const setNextPayout: typeof payouts.setNextPayout = async (read, ...rest) => {
      if (read.account === builder.address) {
        await builder.money.setPayoutSchedule({ schedule: "manual" });
      }
      await payouts.setNextPayout(read, ...rest);
    };
    await resolvePayouts({ ...service.ports, payouts: { ...payouts, setNextPayout } });
    expect(await payouts.findAccount(builder.address)).toMatchObject({ nextPayoutAt: null });
    // As earlier releases could leave it.
    await payouts.updateAccount(builder.address, { nextPayoutAt: await service.ports.clock.now() });
    await sell(builder, 1);
    await service.ports.clock.advance(8 * 86_400);
    await resolvePayouts(service.ports);
    expect((await builder.payments.money.listPayouts()).items).toHaveLength(1);
  });

  test("none begins while the ledger differs from the processor: it may have forgotten that it paid", async () => {
    const { builder, processorAccount } = await seller();
    await builder.money.setPayoutSchedule({ schedule: "daily" });
    await service.ports.clock.advance(86_401);
    let difference: string | null = "1 difference: payout_unknown";
    const stopped = newService(fixture.payouts, 0, () => difference);
    await resolvePayouts(stopped.ports);
    const caller = { account: builder.address, keyId: null, isOperator: false } as const;
    const context = { ports: stopped.ports, caller, keyHash: null, requestId: "stopped" };
    await expect(createPayout(context, { currency: "usd" })).rejects.toMatchObject({
      code: "unavailable",
      details: [{ message: "sales_stopped" }],
    });
    expect(await receivedBy(processorAccount)).toBe(0n);
    difference = null;
    await resolvePayouts(stopped.ports);
    expect(await receivedBy(processorAccount)).toBe(PRICE);
  });

  test("none of a schedule begins after a start before the ledger was compared with the processor", async () => {
    const { builder, processorAccount } = await seller();
    await builder.money.setPayoutSchedule({ schedule: "daily" });
    await service.ports.clock.advance(86_401);
    const { hasCompared, workOf } = createLedgerComparison(database);
    const compared = { records: fixture.records, scheme: fixture.rail.scheme };
    const list = [
      ...backgroundWork({
        ports: service.ports,
        database,
        keptDays: { reports: 0, deliveries: 0, mails: 0, events: 0 },
        onChain: undefined,
        outbound: createOutbound({
          policy: { allowsHttp: false, loopback: { allows: "nothing" } },
          userAgent: "test",
        }),
        hasCompared,
        counts: { stuckOrders: 0, refusedMails: 0 },
      }),
      ...workOf(service.ports, compared),
    ];
    const run = (name: string) => list.find((work) => work.name === name)?.run();
    for (let round = 0; round < 2; round += 1) {
      await run("payouts");
      expect(await receivedBy(processorAccount)).toBe(0n);
      await run("comparison");
    }
    await run("payouts");
    expect(await receivedBy(processorAccount)).toBe(PRICE);
  });

  test("go on for others where the processor does not know fifty accounts any more", async () => {
    const closed = Array.from(
      { length: 50 },
      () => `acct_closed_${randomBytes(8).toString("hex")}`,
    );
    for (const processorAccount of closed) {
      const { address } = await service.party();
      await database.query(
        `insert into payout_accounts (account, processor_account, status, missing, schedule, next_payout_at, created_at, updated_at)
         values ($1, $2, 'active', '[]', 'daily', app_now() - interval '1 hour', app_now(), app_now())`,
        [address, processorAccount],
      );
    }
    const { builder } = await seller();
    await builder.money.setPayoutSchedule({ schedule: "daily" });
    await service.ports.clock.advance(86_401);
    for (let round = 0; round < 2; round += 1) await resolvePayouts(service.ports);
    const { items } = await builder.payments.money.listPayouts();
    expect(items).toMatchObject([{ amount: `${PRICE}` }]);
    // They are tried again within the hour: the processor may have been away.
    const [again] = await database.query<{ n: number }>(
      `select count(*) as n from payout_accounts where processor_account = any($1)
         and next_payout_at between app_now() and app_now() + interval '1 hour'`,
      [closed],
    );
    expect(again?.n).toBe(50);
    await database.query("delete from payout_accounts where processor_account = any($1)", [closed]);
  });

  /** What the platform holds at the processor is what builders are owed, and its fees. */
  async function expectMoneyIn(): Promise<void> {
    const { available } = await fixture.stripe.balance.retrieve();
    const held = available.find(({ currency }) => currency === "usd")?.amount ?? 0;
    const [sums] = await database.query<{ owed: bigint; fees: bigint }>(
      `select coalesce(sum(payable_sign(kind) * amount), 0) as owed,
         coalesce(sum(amount) filter (where kind = 'fee'), 0) as fees from payables where currency = 'usd'`,
      [],
    );
    const underWay = await database.query<{ amount: bigint }>(
      "select amount from payouts where state = 'open' and transfer_reference is null",
      [],
    );
    const untransferred = underWay.reduce((sum, { amount }) => sum + amount, 0n);
    expect(BigInt(held) * 10_000n).toBe((sums?.owed ?? 0n) + (sums?.fees ?? 0n) + untransferred);
  }

  longTest(
    "in random order with lost requests and answers, money in is money out and held",
    async () => {
      const { pick, chance } = createRandom(SEED);
      const at = newService(fixture.payouts, 250);
      const sellers = await Promise.all([
        seller({ sales: 2, at }),
        seller({ sales: 2, how: "closed-bank", at }),
      ]);
      for (let step = 0; step < inFull(2_000, 30); step += 1) {
        const { builder, processorAccount, orders } = pick(sellers);
        const act = pick(["sell", "pay", "pay", "dispute", "bank", "restrict", "work"] as const);
        const kind = pick(["lose-request", "lose-reply", "error-after", null] as const);
        if (kind && act === "pay") fixture.processor.faults.add({ kind });
        if (act === "sell") orders.push(...(await sell(builder, 1, { at })));
        if (act === "pay") await pay(builder).catch(() => undefined);
        if (act === "dispute" && orders.length > 2) {
          const orderId = orders.pop() ?? "";
          const order = await at.ports.orders.find(orderId);
          fixture.processor.controls.openDispute(order?.reference ?? "");
          await refreshOrder(at.ports, orderId);
        }
        if (act === "bank") {
          const { items } = await builder.payments.money.listPayouts();
          const known = await at.ports.payouts.findPayout(items[0]?.payoutId ?? "");
          const failure = pick([null, "account_closed"]);
          if (known?.state === "sent" && known.payoutReference) {
            fixture.processor.controls.finishPayout(known.payoutReference, failure);
            await refreshPayout(at.ports, known.payoutId);
          }
        }
        if (act === "restrict") {
          fixture.processor.controls.restrict(processorAccount, chance(50));
        }
        fixture.processor.faults.clear();
        await at.ports.clock.advance(301);
        await resolvePayouts(at.ports);
        await expectMoneyIn();
      }
    },
    900_000,
  );

  test("what the platform's balance has is paid out, and the rest once it has that, too", async () => {
    const [{ builder }, other] = [await seller({ sales: 2 }), await seller({ sales: 0 })];
    const { available } = await fixture.stripe.balance.retrieve();
    const cents = available.find(({ currency }) => currency === "usd")?.amount ?? 0;
    // All but one sale is not there yet.
    const away = await fixture.stripe.transfers.create({
      amount: cents - 567,
      currency: "usd",
      destination: other.processorAccount,
    });
    await builder.payments.money.createPayoutAccount({});
    // The balance promises no more than a payout takes.
    expect(await usdOf(builder)).toEqual([5_670_000n, 0n, 4_330_000n]);
    expect(await pay(builder)).toMatchObject({ status: "sent", amount: "5670000" });
    await expect(pay(builder)).rejects.toMatchObject({
      code: "rail_unavailable",
      message: expect.stringContaining("balance at the card processor is too low"),
    });
    expect(await usdOf(builder)).toEqual([0n, 5_670_000n, 4_330_000n]);
    await fixture.stripe.transfers.createReversal(away.id);
    expect(await pay(builder)).toMatchObject({ status: "sent", amount: "4330000" });
  });

  longTest(
    "in a currency that the platform is not settled in are the operator's matter",
    async () => {
      const { controls } = fixture.processor;
      const told: string[] = [];
      const note = (fields: object, message: string) => {
        told.push(`${JSON.stringify(fields)} ${message}`);
      };
      const at = createTestService(database, {
        ...{ rails: [fixture.rail], cards: fixture.cards },
        log: { info: () => {}, warn: () => {}, error: note },
        moneyOut: { payoutProcessor: fixture.payouts },
      });
      const { builder } = await seller({ sales: 0, at, currency: "sek" });
      await sell(builder, 1, { at, currency: "SEK" });
      controls.setSettlement(["usd"]);
      try {
        const pay = () => builder.payments.money.createPayout({ currency: "sek" });
        await expect(pay()).rejects.toMatchObject({
          code: "rail_unavailable",
          message: "Payouts in SEK are not available on this service yet. Nothing changed.",
        });
        expect(told[0]).toContain("Add a bank account in it");
        const { currencies } = await builder.payments.money.getBalance({});
        expect(currencies).toContainEqual(
          expect.objectContaining({ currency: "sek", available: "0", owed: `${PRICE}` }),
        );
        controls.setSettlement(["usd", "sek"]);
        expect(await pay()).toMatchObject({ status: "sent", amount: `${PRICE}` });
      } finally {
        controls.setSettlement([]);
      }
    },
  );

  const STEPS = [
    "payouts.begin",
    "payoutProcessor.transfer",
    "payouts.noteTransfer",
    "payoutProcessor.payOut",
    "payouts.moveOn",
    "payoutProcessor.readPayout",
    "payouts.beginReturn",
    "payoutProcessor.takeBack",
    "payouts.fail",
  ] as const;
  const deaths = deathsAt(STEPS).filter(({ when }) => inFull(true, when === "after"));

  test.each(deaths)(
    "killed $when $step, a payout is made once, or is owed again",
    async (death) => {
      const isFailing = STEPS.indexOf(death.step) >= STEPS.indexOf("payoutProcessor.readPayout");
      const { builder, processorAccount } = await seller({
        how: isFailing ? "closed-bank" : "complete",
      });
      const idempotencyKey = randomBytes(8).toString("hex");
      const context = { ...builder.context, ports: dying(service.ports, death) };
      await createPayout(context, { currency: "usd", idempotencyKey })
        .then(({ payoutId }) => refreshPayout(context.ports, payoutId))
        .catch(() => undefined);
      for (let round = 0; round < 3; round += 1) {
        await service.ports.clock.advance(301);
        await Promise.all([resolvePayouts(service.ports), resolvePayouts(service.ports)]);
      }
      const again = await pay(builder, idempotencyKey);
      await refreshPayout(service.ports, again.payoutId);
      const { items } = await builder.payments.money.listPayouts();
      expect(items.map(({ status }) => status)).toEqual([isFailing ? "failed" : "sent"]);
      expect(await receivedBy(processorAccount)).toBe(isFailing ? 0n : PRICE);
      expect(await usdOf(builder)).toEqual(isFailing ? [PRICE, 0n, 0n] : [0n, PRICE, 0n]);
    },
  );

  test.each(["/v1/transfers", "/v1/payouts"])(
    "a lost answer of %s leaves a payout open, which is never called failed and is made once",
    async (path) => {
      const { builder, processorAccount } = await seller();
      fixture.processor.faults.add({ kind: "lose-reply", path, times: 2 });
      const begun = await pay(builder);
      expect(begun.status).toBe("open");
      fixture.processor.faults.clear();
      await refreshPayout(service.ports, begun.payoutId);
      const { items } = await builder.payments.money.listPayouts();
      expect(items).toMatchObject([{ status: "sent" }]);
      expect(await receivedBy(processorAccount)).toBe(PRICE);
    },
  );
});
