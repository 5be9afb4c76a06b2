import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getDynamicCreditsConfig, MAX_UINT256 } from "@turnpike/payments/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type CardFixture, startCardFixture } from "@/lib/adapters/cards/testing/card-fixture.ts";
import {
  type CardShop,
  mintToken,
  openCardShop,
  requirementOf,
} from "@/lib/adapters/cards/testing/card-shop.ts";
import { type Database, openDatabase } from "@/lib/adapters/db/client.ts";
import {
  brokenRules,
  openRuleStore,
  readPgliteImage,
  ruleStores,
} from "@/lib/adapters/db/testing/stores.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import { planRepairs } from "@/lib/domain/reconciliation/repair.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { explainAll } from "../testing/explain-all.ts";
import { createTestService } from "../testing/test-service.ts";
import { createLedgerComparison } from "./ledger-comparison.ts";

type World = ReturnType<typeof openWorld>;

/** The service on a database, with its comparison and what it logs. */
function openWorld(database: Database, fixture: CardFixture, secretKey = randomBytes(32)) {
  const errors: string[] = [];
  const log = {
    info: () => {},
    warn: () => {},
    error: (fields: object) => errors.push(String((fields as { kind?: string }).kind)),
  };
  const comparison = createLedgerComparison(database);
  const { rail, cards, records, payouts } = fixture;
  const service = createTestService(database, {
    rails: [rail],
    cards,
    log,
    secretKey,
    salesStop: comparison.salesStop,
    moneyOut: { payoutProcessor: payouts },
  });
  const parts = { ports: service.ports, records, scheme: rail.scheme };
  const { ports, ...processor } = parts;
  const work = comparison.workOf(ports, processor);
  const chain = {
    listOpen: async () => [],
    writePaid: async () => {},
    close: async () => {},
  };
  const { differences, findVersion } = comparison;
  return {
    database,
    service,
    comparison,
    errors,
    /** What a process does that ends after ten seconds. */
    async compareOnce() {
      for (const each of work) await each.run();
    },
    /** What the service does in twenty seconds. */
    async compare() {
      for (const each of [...work, ...work]) await each.run();
      return differences.listOpen();
    },
    planRepairs: () => planRepairs({ ...parts, differences, findVersion, chain }),
  };
}

/** The processor, with everything up to a watermark, its second included, longer ago than the overlap of two minutes. */
const withoutOverlap = ({ records, ...fixture }: CardFixture): CardFixture => ({
  ...fixture,
  records: {
    ...records,
    listSince: (since) => records.listSince(new Date(since.getTime() + 121_000)),
  },
});

const buy = ({ subscriber, planId, card }: CardShop) =>
  subscriber.payments.plans.orderPlan(planId, { providerPaymentMethodId: card });

/** In = out + held. */
async function expectMoneyIn({ comparison }: World) {
  const sums = await comparison.differences.sumMoney();
  for (const { received, sent, held } of sums) expect(received).toBe(sent + held);
  return sums;
}

/** What the ledger holds is what the processor has. */
async function expectSameMoney(world: World, fixture: CardFixture) {
  const ours = await expectMoneyIn(world);
  const { available } = await fixture.stripe.balance.retrieve();
  expect(ours.map(({ currency, held }) => ({ currency, held }))).toEqual(
    available.map(({ amount, currency }) => ({ currency, held: BigInt(amount) * 10_000n })),
  );
}

// A failure of the processor that no one waits for would end the service, and ends this test with an error.
test("a comparison that keeps failing is told, as nothing differs that is not compared", async () => {
  const [database, fixture] = await Promise.all([openRuleStore(), startCardFixture()]);
  let ms = 0;
  const { ports } = createTestService(database, { rails: [fixture.rail], cards: fixture.cards });
  const comparison = createLedgerComparison(database, () => ms);
  const { findDegraded } = comparison.probe;
  const wrongKey = fixture.replica({ secretKey: "sk_test_wrong" });
  const run = (records: CardFixture["records"]) =>
    comparison.workOf(ports, { records, scheme: fixture.rail.scheme })[0]?.run();
  const checkRules = () => comparison.workOf(ports, null)[1]?.run();
  await expect(run(wrongKey.records)).rejects.toThrow();
  expect(findDegraded?.()).toBeNull();
  ms += 301_000;
  await expect(run(wrongKey.records)).rejects.toThrow();
  expect(findDegraded?.()).toBe("not compared for 301 s");
  await run(fixture.records);
  await checkRules();
  expect(findDegraded?.()).toBeNull();
  await database.close();
  await fixture.close();
});

test("rules that can't be checked are told, as no rule is broken that is not checked", async () => {
  const [database, fixture] = await Promise.all([openRuleStore(), startCardFixture()]);
  let ms = 0;
  const { ports } = createTestService(database, { rails: [fixture.rail], cards: fixture.cards });
  const comparison = createLedgerComparison(database, () => ms);
  const [compare, checkRules] = comparison.workOf(ports, null);
  const { findDegraded } = comparison.probe;
  const rename = (from: string, to: string) =>
    database.query(`alter function ${from}(timestamptz, timestamptz) rename to ${to}`, []);
  await rename("check_recent_orders", "lost");
  await compare?.run();
  await expect(checkRules?.run()).rejects.toThrow();
  expect(findDegraded?.()).toBeNull();
  ms += 301_000;
  await compare?.run();
  expect(findDegraded?.()).toBe("rules not checked for 301 s");
  await rename("lost", "check_recent_orders");
  expect([await checkRules?.run(), findDegraded?.()]).toEqual([1, "rules not checked for 301 s"]);
  while (await checkRules?.run());
  expect(findDegraded?.()).toBeNull();
  await database.close();
  await fixture.close();
});

longTest(
  "a ledger restored from an older copy stops sales, says which payments it forgot, and writes them again",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-restore-"));
    const fixture = await startCardFixture();
    const secretKey = randomBytes(32);
    const image = await readPgliteImage();
    const ledger = join(folder, "ledger");
    const copy = join(folder, "copy");
    const forgotten = 118;

    const first = await openDatabase({ dataDir: ledger, image });
    const before = openWorld(first, fixture, secretKey);
    const shop = await openCardShop(before.service);
    await buy(shop);
    expect(await before.compare()).toEqual([]);
    await first.close();
    cpSync(ledger, copy, { recursive: true });

    // In another second than the watermark's, which is not read again without the overlap.
    fixture.processor.controls.advance(2);
    const second = await openDatabase({ dataDir: ledger });
    const running = openWorld(second, fixture, secretKey);
    const again = { ...shop, subscriber: await sameParty(running, shop) };
    for (let n = 0; n < forgotten; n += 1) await buy(again);
    expect(await running.compare()).toEqual([]);
    const balance = await again.subscriber.payments.plans.getPlanBalance(shop.planId);
    await second.close();

    const restored = await openDatabase({ dataDir: copy });
    await openWorld(restored, withoutOverlap(fixture), secretKey).compareOnce();
    const world = openWorld(restored, withoutOverlap(fixture), secretKey);
    const found = await world.compare();
    expect(found).toHaveLength(forgotten);
    expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(["payment_without_order"]));
    expect(world.errors).toHaveLength(forgotten);
    expect(world.comparison.probe.findDegraded?.()).toContain("payment_without_order");
    const party = await sameParty(world, shop);
    const refusal = await buy({ ...shop, subscriber: party }).catch((cause: unknown) => cause);
    expect(refusal).toMatchObject({ code: "unavailable", details: [{ message: "sales_stopped" }] });
    await world.compare();
    expect(world.errors, "logged once").toHaveLength(forgotten);

    const repairs = await world.planRepairs();
    expect(await openOrders(restored)).toBe(1);
    for (const { apply } of [...repairs, ...repairs]) await apply?.();
    expect(await world.compare()).toEqual([]);
    expect(world.comparison.salesStop()).toBeNull();
    const repaired = await party.payments.plans.getPlanBalance(shop.planId);
    expect(repaired.balance).toBe(balance.balance);
    expect(await brokenRules(restored)).toEqual([]);
    await expectSameMoney(world, fixture);
    await restored.close();
    await fixture.close();
    rmSync(folder, { recursive: true, force: true });
  },
  300_000,
);

const openOrders = async (database: Database) =>
  (await database.query<{ n: number }>("select count(*) as n from orders", []))[0]?.n;

/** The subscriber at another copy of the service: the key is in every copy. */
async function sameParty(world: World, { subscriber }: CardShop) {
  const { Payments } = await import("@turnpike/payments");
  const payments = Payments.getInstance({
    apiKey: subscriber.apiKey,
    environment: "sandbox",
    baseUrl: "http://service.test",
    fetch: world.service.fetch,
  });
  return { ...subscriber, payments };
}

describe.each(ruleStores())("ways to pull ledger and card processor apart, $name", ({ open }) => {
  let fixture: CardFixture;
  let world: World;

  beforeAll(async () => {
    const [database, cards] = await Promise.all([open(), startCardFixture()]);
    fixture = cards;
    world = openWorld(database, fixture);
  });
  afterEach(() => explainAll(world.comparison.differences));
  afterAll(async () => {
    await world.database.close();
    await fixture.close();
  });

  const sql = (text: string, ...parameters: unknown[]) => world.database.query(text, parameters);
  const charge = async (shop: CardShop, orderId: string, amount = 500, currency = "usd") => {
    const customer = await fixture.customers.ensure(shop.subscriber.address);
    return fixture.stripe.paymentIntents.create({
      amount,
      currency,
      customer,
      payment_method: shop.card,
      off_session: true,
      confirm: true,
      metadata: { order_id: orderId, environment: "sandbox" },
    });
  };
  /** An order as only someone with the database's password can write it. */
  const forge = async (
    shop: CardShop,
    reference: string | null,
    orderId = randomBytes(8).toString("hex"),
  ) => {
    await sql(
      `insert into orders (order_id, account, plan_id, plan_version, is_trial, status, scheme, price, currency, reserved_cents,
         reserved_amount, fingerprint, attempt, reference, is_collected, created_at, charged_at, updated_at)
       values ($1, $2, $3, 1, false, 'minted', 'svc:card-delegation', 5000000, 'usd', 0, 0, '', 1, $4, true, app_now(), app_now(), app_now())`,
      orderId,
      shop.subscriber.address,
      shop.planId,
      reference,
    );
    await sql("select mint_order($1, $2, $3, 1)", orderId, shop.subscriber.address, shop.planId);
    await sql("select write_payables($1, 'earned', $2)", orderId, reference);
    return orderId;
  };
  const paymentOf = async (orderId: string) =>
    (await world.service.ports.orders.find(orderId))?.reference ?? "";
  /** A day passes, with another sale, so that what was listed before is listed no more. */
  const nextDay = async (shop: CardShop) => {
    while ((await world.service.ports.events.sequence()) > 0);
    fixture.processor.controls.advance(86_400);
    await world.service.ports.clock.advance(86_400);
    await buy(shop);
    expect(await world.compare()).toEqual([]);
  };
  const account = async (shop: CardShop) => {
    await shop.builder.payments.money.createPayoutAccount({});
    const found = await world.service.ports.payouts.findAccount(shop.builder.address);
    fixture.processor.controls.onboard(found?.processorAccount ?? "");
    return found?.processorAccount ?? "";
  };

  /** A payout of 5.00 that was sent, and one transfer for it after the other. */
  const paidOut = async (shop: CardShop) => {
    const destination = await account(shop);
    for (let n = 0; n < 5; n += 1) await buy(shop);
    const payoutId = randomBytes(8).toString("hex");
    const transfer = () =>
      fixture.stripe.transfers.create({
        amount: 500,
        currency: "usd",
        destination,
        transfer_group: payoutId,
        metadata: { payout_id: payoutId, environment: "sandbox" },
      });
    const { id } = await transfer();
    await sql(
      `insert into payouts (payout_id, account, processor_account, currency, amount, state, transfer_reference, created_at, updated_at)
       values ($1, $2, $3, 'usd', 5000000, 'paid', $4, app_now(), app_now())`,
      payoutId,
      shop.builder.address,
      destination,
      id,
    );
    return { payoutId, transfer };
  };

  /** How it is done, what is found, and whether the service repairs it or a person has to. */
  const ways: [string, (shop: CardShop) => Promise<unknown>, string, "person" | "healed"][] = [
    [
      "a payment without an order",
      (shop) => charge(shop, randomBytes(8).toString("hex")),
      "payment_without_order",
      "person",
    ],
    ["an order without a payment", (shop) => forge(shop, null), "order_without_payment", "person"],
    [
      "a refund in the processor's dashboard whose webhook was lost",
      async (shop) => {
        const { orderId } = await buy(shop);
        await fixture.stripe.refunds.create({ payment_intent: await paymentOf(orderId) });
      },
      "refund_unknown",
      "healed",
    ],
    [
      "a refund in the ledger alone",
      async (shop) => {
        const { orderId } = await buy(shop);
        await sql(
          `insert into refunds (refund_id, order_id, account, owner, plan_id, scheme, currency, amount, credits, state, made_by,
             fingerprint, created_at, updated_at)
           values ($1, $1, $2, $3, $4, 'svc:card-delegation', 'usd', 5000000, 0, 'paid', 'builder', '', app_now(), app_now())`,
          orderId,
          shop.subscriber.address,
          shop.builder.address,
          shop.planId,
        );
        await sql("select open_refund($1)", orderId);
      },
      "refund_not_sent",
      "person",
    ],
    [
      "a payment of another amount",
      async (shop) => forge(shop, (await charge(shop, "amount", 100)).id, "amount"),
      "amount_differs",
      "person",
    ],
    [
      "a payment in another currency",
      async (shop) => forge(shop, (await charge(shop, "currency", 500, "eur")).id, "currency"),
      "currency_differs",
      "person",
    ],
    [
      "an order that was paid twice",
      async (shop) => charge(shop, (await buy(shop)).orderId),
      "paid_twice",
      "person",
    ],
    [
      "a chargeback whose webhook was lost",
      async (shop) => {
        const { orderId } = await buy(shop);
        fixture.processor.controls.openDispute(await paymentOf(orderId));
      },
      "dispute_unknown",
      "healed",
    ],
    [
      "a chargeback of a part whose webhook was lost",
      async (shop) => {
        const { orderId } = await buy(shop);
        fixture.processor.controls.openDispute(await paymentOf(orderId), "fraudulent", 100);
      },
      "dispute_unknown",
      "healed",
    ],
    [
      "a chargeback that was won days later, and no webhook said so",
      async (shop) => {
        const { orderId } = await buy(shop);
        const { controls } = fixture.processor;
        const dispute = controls.openDispute(await paymentOf(orderId));
        await refreshOrder(world.service.ports, orderId);
        await nextDay(shop);
        controls.endDispute(dispute, "won");
      },
      "dispute_ended",
      "healed",
    ],
    [
      "a refund that the bank sent back days later, and no webhook said so",
      async (shop) => {
        const { orderId } = await buy(shop);
        const refund = await shop.builder.payments.money.createRefund({ orderId });
        expect(refund.status).toBe("paid");
        await nextDay(shop);
        fixture.processor.controls.finishRefund(refund.reference ?? "", "failed");
      },
      "refund_not_sent",
      "healed",
    ],
    [
      "a transfer that is no payout",
      async (shop) => {
        const destination = await account(shop);
        for (let n = 0; n < 5; n += 1) await buy(shop);
        await fixture.stripe.transfers.create({ amount: 500, currency: "usd", destination });
      },
      "payout_unknown",
      "person",
    ],
    [
      "a payout that was never sent",
      async (shop) => {
        const destination = await account(shop);
        await sql(
          `insert into payouts (payout_id, account, processor_account, currency, amount, state, transfer_reference, created_at, updated_at)
           values ($1, $2, $3, 'usd', 5000000, 'paid', 'tr_gone', app_now(), app_now())`,
          randomBytes(8).toString("hex"),
          shop.builder.address,
          destination,
        );
      },
      "payout_not_sent",
      "person",
    ],
    [
      "a payout that was transferred twice",
      async (shop) => (await paidOut(shop)).transfer(),
      "payout_sent_twice",
      "person",
    ],
    [
      "credits minted without an order",
      (shop) =>
        sql(
          "select append_transfer($1, $2, 'mint', 7, 'no-order')",
          shop.subscriber.address,
          shop.planId,
        ),
      "rule_broken",
      "person",
    ],
    [
      "a balance changed by hand",
      async (shop) => {
        await buy(shop);
        await sql("update balances set available = available + 7 where plan_id = $1", shop.planId);
      },
      "rule_broken",
      "person",
    ],
  ];

  /** An order that waits for its card's holder. */
  const waiting = async ({ subscriber, planId }: CardShop) => {
    const { setupIntentId } = await fixture.cards.saveCard(
      subscriber.address,
      "pm_card_authenticationRequired",
    );
    fixture.processor.controls.authenticate(setupIntentId);
    const { paymentMethodId } = await fixture.cards.finishCard(subscriber.address, setupIntentId);
    const order = await subscriber.payments.plans.orderPlan(planId, {
      providerPaymentMethodId: paymentMethodId ?? "",
    });
    expect(order).toMatchObject({ status: "requires_action" });
    return order;
  };
  /** The holder confirms it; the payment's id. */
  const confirm = async (orderId: string) => {
    const payments = controls().payments();
    const { id = "", last_payment_error: failed } =
      payments.find(({ metadata }) => metadata.order_id === orderId) ?? {};
    await fixture.stripe.paymentIntents.confirm(id, {
      payment_method: failed?.payment_method?.id ?? "",
    });
    controls().authenticate(id);
    return id;
  };
  const dispute = async (orderId: string, amount?: number) =>
    fixture.processor.controls.openDispute(await paymentOf(orderId), "fraudulent", amount);
  const refund = ({ builder }: CardShop, orderId: string, amount?: bigint) =>
    builder.payments.money.createRefund({ orderId, ...(amount && { amount }) });

  /** What a card's holder, their bank and a builder can do at will, by no webhook that arrives. */
  const acts: [string, (shop: CardShop, orderId: string) => Promise<unknown>][] = [
    ["a chargeback is lost", async (_, id) => controls().endDispute(await dispute(id), "lost")],
    [
      "a chargeback is won at once",
      async (_, id) => controls().endDispute(await dispute(id), "won"),
    ],
    [
      "a part is charged back twice",
      async (_, id) => {
        await dispute(id, 100);
        await dispute(id, 200);
      },
    ],
    [
      "all is charged back that was refunded",
      async (shop, id) => {
        await refund(shop, id);
        await dispute(id);
      },
    ],
    [
      "all is charged back, and a part was refunded",
      async (shop, id) => {
        await refund(shop, id, 2_000_000n);
        await dispute(id);
      },
    ],
    [
      "a part was refunded, and the chargeback of all is won",
      async (shop, id) => {
        await refund(shop, id, 2_000_000n);
        controls().endDispute(await dispute(id), "won");
      },
    ],
    [
      "the bank sends a refund back, and then charges back",
      async (shop, id) => {
        const { reference } = await refund(shop, id);
        controls().finishRefund(reference ?? "", "failed");
        await dispute(id);
      },
    ],
    [
      "a bank's doubt blocks",
      async (_, id) => controls().preventDispute(await paymentOf(id), "block"),
    ],
    [
      "a bank's doubt is resolved by the money",
      async (_, id) => controls().preventDispute(await paymentOf(id), "resolution"),
    ],
    [
      "a holder confirms an order that has ended",
      async (shop) => {
        const { orderId } = await waiting(shop);
        const failure = { code: "not_paid_in_time", message: "Not paid in time." };
        await world.service.ports.orders.decline(orderId, "declined", failure);
        await confirm(orderId);
      },
    ],
    [
      "a holder confirms, and their bank charges back before the order is read",
      async (shop) => {
        const { orderId } = await waiting(shop);
        controls().openDispute(await confirm(orderId));
      },
    ],
    [
      "a builder closes the account that payouts went to",
      async (shop) => controls().closeAccount(await paidOut(shop).then(() => account(shop))),
    ],
  ];
  const controls = () => fixture.processor.controls;

  test.each(acts)("no sales stop where %s", async (_, run) => {
    const shop = await openCardShop(world.service);
    const { orderId } = await buy(shop);
    expect(await world.compare()).toEqual([]);
    await run(shop, orderId);
    expect(await world.compare()).toEqual([]);
    expect(world.comparison.salesStop()).toBeNull();
    await expectMoneyIn(world);
  });

  test("every transfer of a payout beyond its own is a difference until it is reversed", async () => {
    const shop = await openCardShop(world.service);
    const { payoutId, transfer } = await paidOut(shop);
    expect(await world.compare()).toEqual([]);
    const extra = [await transfer(), await transfer()];
    const named = (left: typeof extra) =>
      left.map(({ id }) => ({
        kind: "payout_sent_twice",
        subject: id,
        reference: id,
        detail: `Payout ${payoutId} was sent twice: also by transfer ${id} of 5.000000 USD.`,
      }));
    const found = async () =>
      (await world.compare())
        .map(({ kind, subject, reference, detail }) => ({ kind, subject, reference, detail }))
        .sort((one, other) => one.subject.localeCompare(other.subject));
    extra.sort((one, other) => one.id.localeCompare(other.id));
    expect(await found()).toEqual(named(extra));
    for (let left = extra; left.length > 0; ) {
      await fixture.stripe.transfers.createReversal(left[0]?.id ?? "");
      left = left.slice(1);
      expect(await found()).toEqual(named(left));
    }
  });

  test("no subscriber or builder stops everyone's sales by an order that fits no more", async () => {
    const shop = await openCardShop(world.service, {
      credits: getDynamicCreditsConfig(MAX_UINT256, 1n, MAX_UINT256),
    });
    const { builder } = shop;
    await buy(shop);
    const { accessToken } = await mintToken(shop);
    const agentRequestId = "takes-everything-0001";
    const taken = await builder.payments.facilitator.settlePermissions({
      paymentRequired: requirementOf(shop),
      x402AccessToken: accessToken,
      maxAmount: `${MAX_UINT256}`,
      agentRequestId,
    });
    expect(taken).toMatchObject({ success: true, remainingBalance: "0" });
    // Another order fits now, and waits for its holder; then the credits of the call come back.
    const { orderId } = await waiting(shop);
    await builder.payments.money.createRefund({ agentRequestId });
    expect(await world.compare()).toEqual([]);
    expect(world.comparison.salesStop()).toBeNull();
    await world.service.ports.orders.decline(orderId, "declined", {
      code: "not_paid_in_time",
      message: "The order was not paid in time.",
    });
  });

  test.each(ways)(
    "%s is found, named and repaired or left to a person",
    async (_, pull, kind, by) => {
      const shop = await openCardShop(world.service);
      await buy(shop);
      expect(await world.compare()).toEqual([]);
      await pull(shop);
      const found = await world.compare();
      const recorded = await sql(
        "select kind, state from differences order by found_at desc limit 1",
      );
      expect(recorded).toEqual([{ kind, state: by === "person" ? "open" : "resolved" }]);
      expect(found.map((each) => each.kind)).toEqual(by === "person" ? [kind] : []);
      for (const repair of await world.planRepairs()) {
        expect(repair.proposal).not.toBe("");
        expect(repair.apply, "nothing outside proves it").toBeUndefined();
      }
      await explainAll(world.comparison.differences);
      expect(await world.compare()).toEqual([]);
      expect(world.comparison.salesStop()).toBeNull();
      await expectMoneyIn(world);
    },
  );
});
