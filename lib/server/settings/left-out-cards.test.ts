import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CardFixture, startCardFixture } from "@/lib/adapters/cards/testing/card-fixture.ts";
import { mintToken, openCardShop } from "@/lib/adapters/cards/testing/card-shop.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createSecretCheck } from "../check-data.ts";
import { createLedgerComparison } from "../comparison/ledger-comparison.ts";
import { createHealth } from "../create-health.ts";
import { createTestService } from "../testing/test-service.ts";
import { findLeftOutCards, leftCardPlans } from "./left-out-cards.ts";

describe.each(ruleStores())("a service without cards on $name", ({ open }) => {
  let database: Database;
  let fixture: CardFixture;
  let orderId: string;
  let builder: string;
  beforeAll(async () => {
    [database, fixture] = await Promise.all([open(), startCardFixture()]);
    expect(await findLeftOutCards(database)).toBeNull();
    const { rail, cards } = fixture;
    const shop = await openCardShop(createTestService(database, { rails: [rail], cards }));
    const { subscriber, planId } = shop;
    ({ orderId } = await subscriber.payments.plans.orderPlan(planId));
    await mintToken(shop);
    builder = shop.builder.address;
  });
  afterAll(() => Promise.all([database.close(), fixture.close()]));

  const kinds = async () =>
    /need them \((.*?)\)/.exec((await findLeftOutCards(database)) ?? "")?.[1];
  const run = (text: string) => database.query(text, []);

  test("is degraded on a database with card sales, and health says what needs them", async () => {
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const leftOut = await findLeftOutCards(database);
    const health = createHealth(
      {
        database,
        onChain: undefined,
        onCards: null,
        comparison: createLedgerComparison(database, () => 0),
        secrets: createSecretCheck({ database, secretKeys: [] }),
        leftOut,
      },
      "live",
      () => 0,
      log,
    );
    expect(await health()).toMatchObject({
      status: "degraded",
      checks: { database: { degraded: expect.stringContaining("PAYMENT_RAILS leaves out cards") } },
    });
  });

  test("has plans and balances by card left, until they are archived and used up", async () => {
    const [plan] = await database.query<{ id: string }>(
      "select plan_id::text as id from plans",
      [],
    );
    const credits = "1 balance with credits, which stay usable";
    const left = `1 plan not archived (${plan?.id}), sold no more; ${credits}`;
    expect(await leftCardPlans(database)).toBe(left);
    await run("update plans set archived_at = now()");
    expect(await leftCardPlans(database)).toBe(`0 plans not archived, sold no more; ${credits}`);
  });

  test("is not once no sale can be disputed, and nothing is owed, open or on", async () => {
    expect(await kinds()).toBe("sales of the last 120 days, sums owed to builders");
    await run("update orders set updated_at = now() - interval '121 days'");
    expect(await kinds()).toBe("sums owed to builders");
    await run(`insert into payouts (payout_id, account, processor_account, currency, amount, state, created_at, updated_at)
      values ('po', '${builder}', 'acct_1', 'usd', 5000000, 'sent', now(), now())`);
    await run(`insert into payables (payout_id, owner, receiver, currency, kind, amount, created_at)
      select 'po', owner, receiver, currency, 'paid-out', amount, now() from payables`);
    expect(await kinds()).toBe("payouts");
    await run("update payouts set state = 'paid'");
    expect(await kinds()).toBeUndefined();
    await run(`insert into disputes (dispute_id, order_id, owner, amount, reason, status, created_at, updated_at)
      values ('dp', '${orderId}', '${builder}', 1, 'fraudulent', 'needs_response', now(), now())`);
    await run(`insert into refunds (refund_id, order_id, account, owner, plan_id, scheme, currency, amount, credits, state, made_by, fingerprint, created_at, updated_at)
      select 're', order_id, account, '${builder}', plan_id, scheme, currency, 1, 0, 'open', 'builder', 'x', now(), now() from orders`);
    await run(`insert into renewals (account, plan_id, state, delegation_id, price, currency, duration_secs, period_end, created_at, updated_at)
      select o.account, o.plan_id, 'on', d.delegation_id, 1, 'usd', 1, now(), now(), now() from orders o join delegations d using (account)`);
    expect(await kinds()).toBe("automatic renewals, refunds, disputes");
    await run("update disputes set status = 'lost'");
    await run("update refunds set state = 'paid'");
    await run("update renewals set state = 'off'");
    expect(await findLeftOutCards(database)).toBeNull();
  });
});
