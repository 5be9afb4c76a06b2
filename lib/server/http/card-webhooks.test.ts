import { getFiatPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import fc from "fast-check";
import { Stripe } from "stripe";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type CardFixture, startCardFixture } from "@/lib/adapters/cards/testing/card-fixture.ts";
import { mintToken, openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { auditNote } from "@/lib/domain/context.ts";
import { newOrder } from "@/lib/domain/orders/pay-order.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { countRows } from "../testing/count-rows.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestParty,
  type TestService,
} from "../testing/test-service.ts";
import { createWebhooks, type Endpoint } from "./webhooks.ts";

let database: Database;
let fixture: CardFixture;
let service: TestService;
let endpoint: Endpoint;

beforeAll(async () => {
  [database, fixture] = await Promise.all([openRuleStore(), startCardFixture()]);
  service = createTestService(database, { rails: [fixture.rail], cards: fixture.cards });
  endpoint = createWebhooks(service.ports, fixture.readWebhook);
});
afterAll(async () => {
  expect(await brokenRules(database)).toEqual([]);
  await database.close();
  await fixture.close();
});

const bodyOf = async (id: string) => JSON.stringify(await fixture.stripe.events.retrieve(id));
const eventsOf = (payment: string) => fixture.processor.controls.events(payment);

/** Hands an event to the service as the processor would; the status it is answered with. */
async function hand(payload: string, terms: { secret?: string; secondsAgo?: number } = {}) {
  const { secret = fixture.processor.webhookSecret, secondsAgo = 0 } = terms;
  const timestamp = Math.floor(Date.now() / 1000) - secondsAgo;
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const url = `${TEST_ORIGIN}/api/webhooks/cards`;
  const headers = { "stripe-signature": signature };
  return (await endpoint.fetch(new Request(url, { method: "POST", headers, body: payload })))
    .status;
}

type Parties = { builder: TestParty; subscriber: TestParty };

/** A builder, and a subscriber with a card. */
async function meet(): Promise<Parties> {
  const [builder, subscriber] = await Promise.all([service.party(), service.party()]);
  await subscriber.payments.paymentMethods.addPaymentMethod({ testCard: "pm_card_visa" });
  return { builder, subscriber };
}

/** An unpaid order of a new plan. */
async function reservedOrder(
  parties?: Parties,
): Promise<{ order: OrderRecord; pay: () => Promise<string> }> {
  const { ports } = service;
  const { builder, subscriber } = parties ?? (await meet());
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "By card" },
    getFiatPriceConfig(5_000_000n, builder.address, "USD"),
    getFixedCreditsConfig(100n, 1n),
  );
  const plan = await ports.plans.find(planId);
  if (!plan) throw new Error("There is no such plan.");
  const order = newOrder(ports, plan, {
    account: subscriber.address,
    fingerprint: "webhooks",
    delegation: null,
    now: await ports.clock.now(),
    idempotencyKey: null,
    paymentMethodId: null,
    jti: null,
  });
  await ports.orders.reserve(order, auditNote(subscriber.context, "order", planId));
  const pay = async () => {
    // The charge goes through, and the process that asked for it learns nothing.
    const charged = await fixture.rail.charge(order, plan, null);
    return charged.status === "paid" ? (charged.reference ?? "") : "";
  };
  return { order, pay };
}

/** What the ledger say of an order: everything an event could have moved. */
async function ledgerOf({ orderId, account, planId }: OrderRecord): Promise<string> {
  const order = await service.ports.orders.find(orderId);
  const balance = await service.ports.plans.balance(planId, account);
  const moved = await database.query<{ kind: string; amount: string }>(
    "select kind, amount::text from transfers where account = $1 and plan_id = $2 order by seq",
    [account, planId],
  );
  const kinds = moved.map(({ kind, amount }) => `${kind} ${amount}`).join(", ");
  return `${order?.status} ${balance?.available ?? 0n}: ${kinds}`;
}

/** Every order of the items. */
function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first, at) =>
    ordersOf(items.toSpliced(at, 1)).map((rest) => [first, ...rest]),
  );
}

/** Each twice: again after the next one came, the last again at the very end. */
const duplicated = <T>(items: readonly T[]): T[] =>
  items
    .flatMap((item, at) => (at === 0 ? [item] : [item, items[at - 1] as T]))
    .concat(items.slice(-1));

/** How many of the 720 orders of six events are tried, spread evenly. */
const ORDERS_TRIED = inFull(720, 5);

describe("card webhooks at the service", () => {
  test.each([
    { name: "before its payment was seen", isSeen: false, end: "declined 0: " },
    {
      name: "after its credits were minted",
      isSeen: true,
      end: "refunded 0: mint 100, refund 100",
    },
  ])(
    "whatever order six events come in, duplicated, $name: the same ledger",
    async ({ isSeen, end }) => {
      const orders = ordersOf([0, 1, 2, 3, 4, 5]);
      expect(orders).toHaveLength(720);
      const step = orders.length / ORDERS_TRIED;
      const tried = Array.from({ length: ORDERS_TRIED }, (_, at) => orders[Math.floor(at * step)]);
      const { controls } = fixture.processor;
      const parties = await meet();
      const ends = new Map<string, number>();
      let events = 0;
      for (const sequence of tried) {
        const { order, pay } = await reservedOrder(parties);
        const payment = await pay();
        if (isSeen) await refreshOrder(service.ports, order.orderId);
        controls.endDispute(controls.openDispute(payment), "lost");
        const bodies = await Promise.all(eventsOf(payment).map(({ id }) => bodyOf(id)));
        expect(bodies).toHaveLength(6);
        for (const at of duplicated(sequence ?? [])) {
          expect(await hand(bodies[at] ?? "")).toBe(200);
          events += 1;
        }
        const ledger = await ledgerOf(order);
        ends.set(ledger, (ends.get(ledger) ?? 0) + 1);
      }
      console.log(
        `card webhooks: ${tried.length} orders, ${events} events, ${ends.size} end states`,
      );
      expect([...ends.keys()]).toEqual([end]);
    },
    600_000,
  );

  test("T42: events that come between the steps of a payment come to the ledger of its last step", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.nat(1000)),
        fc.subarray(["pay", "refund", "dispute", "win"] as const),
        async (picks, steps) => {
          const pick = (count: number) => (picks.next().value as number) % count;
          const { order, pay } = await reservedOrder();
          let payment = "";
          let dispute = "";
          const handed = new Set<string>();
          const handOne = async (id: string) => {
            handed.add(id);
            expect(await hand(await bodyOf(id))).toBe(200);
          };
          for (const step of steps) {
            if (step === "pay") payment = await pay();
            if (step === "refund" && payment) await fixture.refunds.refund(order);
            if (step === "dispute" && payment && !steps.includes("refund")) {
              dispute = fixture.processor.controls.openDispute(payment);
            }
            if (step === "win" && dispute) fixture.processor.controls.endDispute(dispute, "won");
            const events = payment ? eventsOf(payment) : [];
            // Some come now, some twice, some not yet.
            for (let left = pick(4); left > 0 && events.length > 0; left--) {
              await handOne(events[pick(events.length)]?.id ?? "");
            }
          }
          const late = (payment ? eventsOf(payment) : []).filter(({ id }) => !handed.has(id));
          while (late.length > 0) await handOne(late.splice(pick(late.length), 1)[0]?.id ?? "");
          const ledger = await ledgerOf(order);
          const isBack = steps.includes("refund") || (dispute !== "" && !steps.includes("win"));
          if (!payment) expect(ledger).toBe("reserved 0: ");
          else if (isBack)
            expect(ledger).toMatch(/^(refunded 0: mint 100, refund 100|declined 0: )/);
          // Declined while the money was away, an order is not revived: what comes back goes back.
          else expect(ledger).toMatch(/^(minted 100: |declined 0: )/);
        },
      ),
      { numRuns: inFull(25, 5) },
    );
  }, 120_000);

  test("T43: a chargeback's event revokes the token and its delegation", async () => {
    const shop = await openCardShop(service);
    const { delegationId, tokenId } = await mintToken(shop);
    const { txHash = "" } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
    fixture.processor.controls.openDispute(txHash);
    expect(await hand(await bodyOf(eventsOf(txHash).at(-1)?.id ?? ""))).toBe(200);
    expect(await service.ports.tokens.find(tokenId)).toMatchObject({ revokedAt: expect.any(Date) });
    expect(await service.ports.delegations.find(delegationId)).toMatchObject({
      revokedAt: expect.any(Date),
    });
  });

  test("T41: forged, stale and wrong-secret events are 400, and nothing is written", async () => {
    const { pay } = await reservedOrder();
    const body = await bodyOf(eventsOf(await pay()).at(-1)?.id ?? "");
    const before = await countRows(database);
    expect(await hand(body, { secret: "whsec_of_another" })).toBe(400);
    expect(await hand(body, { secondsAgo: 301 })).toBe(400);
    const url = `${TEST_ORIGIN}/api/webhooks/cards`;
    for (const signature of ["", "t=1,v1=00", "nonsense"]) {
      const headers = { "stripe-signature": signature };
      const answer = await endpoint.fetch(new Request(url, { method: "POST", headers, body }));
      expect(answer.status).toBe(400);
    }
    expect(await countRows(database)).toEqual(before);
  });

  test("refusals are logged once a minute with their number, and a signed event is served between them", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const logged: object[] = [];
    const warn = (fields: object) => void logged.push(fields);
    const flooded = createWebhooks(
      { ...service.ports, log: { ...service.ports.log, warn } },
      fixture.readWebhook,
    );
    const send = (signature: string, body = "{}") => {
      const headers = { "stripe-signature": signature };
      const url = `${TEST_ORIGIN}/api/webhooks/cards`;
      return flooded.fetch(new Request(url, { method: "POST", headers, body }));
    };
    const forged = () => `t=${Math.floor(Date.now() / 1000)},v1=${"0".repeat(64)}`;
    for (let n = 0; n < 500; n++) expect((await send(n % 2 ? "" : forged())).status).toBe(400);
    expect(logged).toMatchObject([{ reason: "signature", refused: 1 }]);
    const payload = JSON.stringify({ livemode: false, data: { object: {} } });
    const secret = fixture.processor.webhookSecret;
    const timestamp = Math.floor(Date.now() / 1000);
    const right = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
    expect((await send(right, payload)).status).toBe(200);
    vi.advanceTimersByTime(60_000);
    expect((await send("")).status).toBe(400);
    expect(logged).toMatchObject([{ refused: 1 }, { reason: "signature", refused: 500 }]);
    vi.useRealTimers();
  });

  test("a payment that comes after its order was declined goes back", async () => {
    const shop = await openCardShop(service);
    const { controls } = fixture.processor;
    controls.declineCard(shop.card, "LostCard");
    await shop.subscriber.payments.plans.orderPlan(shop.planId).catch(() => null);
    controls.declineCard(shop.card, null);
    const payment = controls.payments().at(-1)?.id ?? "";
    await fixture.stripe.paymentIntents.confirm(payment, { payment_method: shop.card });
    expect(await hand(await bodyOf(eventsOf(payment).at(-1)?.id ?? ""))).toBe(200);
    const { data } = await fixture.stripe.refunds.list({ payment_intent: payment });
    expect(data).toMatchObject([{ amount: 500, status: "succeeded" }]);
  });
});
