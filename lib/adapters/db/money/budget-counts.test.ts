import { toJson } from "@turnpike/payments/protocol";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBudgetMarket, limits, spentBy } from "@/lib/domain/budgets/testing/budget-market.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { type Database, inTransaction, rowsOf } from "../client.ts";
import { brokenRules, ruleStores, testStores } from "../testing/stores.ts";
import { createAccountPaymentJournal } from "./account-payments.ts";

const AUTHORIZATION = {
  offer: {} as never,
  resource: "https://seller.example/paid",
  validAfter: "0",
  validBefore: "9999999999",
  nonce: "0x1",
  signature: "0x",
};

describe.each(ruleStores())("what budgets count on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  test("what changes while the calls before the first budget are counted is counted once", async () => {
    const { market, calls } = await createBudgetMarket(service, { perCall: 5n });
    const { subscriber, builder } = market;
    const [before, given] = [freshId(), freshId()];
    for (const agentRequestId of [before, given])
      expect((await calls.verify({ agentRequestId, reserve: true })).body).toMatchObject({
        isValid: true,
      });
    await database.query("select begin_count($1)", [subscriber.address]);
    await builder.payments.facilitator.releasePermissions({ agentRequestId: given });
    expect((await calls.settle({ agentRequestId: before })).body).toMatchObject({ success: true });
    // Ten credits are one order: this one needs another.
    for (const _ of [1, 2]) expect((await calls.settle()).body).toMatchObject({ success: true });
    const { budgets } = subscriber.payments;
    const month = limits(["month", "money", 10_000], ["month", "credits", 10_000]);
    await budgets.setBudgets({ limits: month });
    const { cents, credits } = await spentBy(service, subscriber);
    expect([cents, credits]).toEqual([200, 15]);
    expect((await budgets.getBudgets()).limits).toMatchObject([{ used: "200" }, { used: "15" }]);
    await calls.settle();
    expect((await budgets.getBudgets()).limits).toMatchObject([{ used: "200" }, { used: "20" }]);
  });

  test("budgets that were set before there were counts apply, and are counted later", async () => {
    const { market, calls, delegationId } = await createBudgetMarket(service);
    const { subscriber } = market;
    const { budgets } = subscriber.payments;
    await budgets.setDelegationBudgets(delegationId, { limits: limits(["month", "money", 250]) });
    expect((await calls.settle()).body).toMatchObject({ success: true });
    await database.query("delete from budget_sums where account = $1 and unit <> 'credits'", [
      subscriber.address,
    ]);
    await database.query("update budgets set counted_at = null where scope = $1", [
      subscriber.address,
    ]);
    const used = async () => (await budgets.getDelegationBudgets(delegationId)).limits;
    expect(await used()).toMatchObject([{ used: "100" }]);
    expect((await calls.settle()).body).toMatchObject({ success: true });
    expect((await calls.settle()).body).toMatchObject({ cause: "budget_per_month" });
    while (await service.ports.budgets.countNext());
    expect(await used()).toMatchObject([{ used: "200" }]);
    expect((await calls.settle()).body).toMatchObject({ cause: "budget_per_month" });
    expect((await spentBy(service, subscriber)).cents).toBe(200);
  });

  test("what is paid elsewhere under a delegation counts by its seller until it is refused", async () => {
    const { market, delegationId } = await createBudgetMarket(service);
    const { address: account, payments } = market.subscriber;
    const { budgets } = payments;
    const { ports } = service;
    const to = "0x000000000000000000000000000000000000bEEF";
    const pay = async (cents: bigint) => {
      const paymentId = freshId();
      const delegation = await ports.delegations.find(delegationId);
      if (!delegation) throw new Error("The delegation is missing.");
      const sums = { amount: 1n, balance: 1_000n, balanceAt: await ports.clock.now() };
      const begun = await ports.money.beginPayment(
        { paymentId, kind: "exact", account, token: to, to, idempotencyKey: paymentId, ...sums },
        { account, keyId: null, action: "pay", subject: paymentId, requestId: "test" },
        { authorization: AUTHORIZATION, delegation, isNew: false, cents, sinceBlock: 0n },
      );
      return { ...begun, paymentId };
    };
    await pay(20n);
    const seller = { builder: to };
    await budgets.setBudgets({
      limits: limits(["day", "money", 90, seller], ["month", "money", 1_000]),
    });
    const used = async () => (await budgets.getBudgets()).limits.map((limit) => limit.used);
    const { paymentId } = await pay(70n);
    expect(await used()).toEqual(["90", "90"]);
    expect(await pay(1n)).toMatchObject({ outcome: "limit", limit: "budget_per_builder" });
    const store = createAccountPaymentJournal(database.orm);
    await store.close(paymentId, { status: "refused", code: "expired", message: "It expired." });
    expect(await store.close(paymentId, { status: "paid", txHash: "0x1" })).toBe(false);
    expect(await used()).toEqual(["20", "20"]);
    expect(await pay(70n)).toMatchObject({ outcome: "begun" });
  });

  test("a release without counts may still set budgets", async () => {
    const { market, calls, delegationId } = await createBudgetMarket(service);
    const { subscriber } = market;
    expect((await calls.settle()).body).toMatchObject({ success: true });
    const document = toJson({ currency: "usd", limits: limits(["month", "money", 150]) });
    await database.query("select set_budgets($1, $2, $3)", [
      delegationId,
      subscriber.address,
      document,
    ]);
    expect((await calls.settle()).body).toMatchObject({ cause: "budget_per_month" });
  });
});

const postgres = testStores().filter(({ name }) => name === "Postgres");
describe.each(postgres)("who waits for a budget on $name", ({ open }) => {
  test("neither a first budget nor another one holds up a balance", async () => {
    const database = await open();
    const { market } = await createBudgetMarket(createTestService(database));
    const { address, payments } = market.subscriber;
    await payments.plans.orderPlan(market.planId);
    const isFree = async () => {
      const free = await database.query(
        "select 1 from balances where account = $1 for update skip locked",
        [address],
      );
      return free.length === 1;
    };
    const isFreeDuring = (statement: ReturnType<typeof sql>) =>
      inTransaction(database.orm, async (transaction) => {
        await rowsOf(transaction, statement);
        return isFree();
      });
    await database.query("select begin_count($1)", [address]);
    expect(await isFreeDuring(sql`select count_budgets(${address}, null)`)).toBe(true);
    const document = toJson({ currency: "usd", limits: [] });
    expect(
      await isFreeDuring(sql`select set_budgets(${address}, ${address}, ${document}::jsonb)`),
    ).toBe(true);
    await database.close();
  });

  test("budgets of a delegation wait for a replica of the release before without what it locks next", async () => {
    const database = await open();
    const { market } = await createBudgetMarket(createTestService(database));
    const account = market.subscriber.address;
    const scope = "0a000000-0000-4000-8000-000000000001";
    const document = toJson({ currency: "usd", limits: limits(["day", "credits", 50]) });
    for (const isCounted of [true, false]) {
      const set = () =>
        database.query("select set_budgets($1, $2, $3)", [scope, account, document]);
      await set();
      if (!isCounted) await database.query("update budgets set counted_at = null", []);
      let setting: ReturnType<typeof set> | undefined;
      const free = await inTransaction(database.for("money").orm, async (transaction) => {
        await rowsOf(transaction, sql`select 1 from budgets where scope = ${scope} for update`);
        setting = set();
        await untilOneWaits(database);
        return rowsOf(
          transaction,
          sql`select scope from budgets where account = ${account} order by scope for no key update skip locked`,
        );
      });
      await setting;
      expect(free).toEqual([{ scope }, { scope: account }]);
    }
    await database.close();
  });

  test("a declined order gives back under the lock that others reserve under", async () => {
    const database = await open();
    const { market } = await createBudgetMarket(createTestService(database));
    const { address, payments } = market.subscriber;
    await payments.plans.orderPlan(market.planId);
    await payments.budgets.setBudgets({ limits: limits(["month", "money", 10_000]) });
    const free = await inTransaction(database.orm, async (transaction) => {
      await rowsOf(
        transaction,
        sql`update orders set status = 'declined' where account = ${address}`,
      );
      return database.query(
        "select 1 from budgets where account = $1 for no key update skip locked",
        [address],
      );
    });
    expect(free).toEqual([]);
    await database.close();
  });

  test("an order that is repaired waits for its balance before it locks the budgets", async () => {
    const database = await open();
    const service = createTestService(database);
    const { market } = await createBudgetMarket(service);
    const { address: account, payments } = market.subscriber;
    const { orderId = "" } = await payments.plans.orderPlan(market.planId);
    await payments.budgets.setBudgets({ limits: limits(["month", "money", 10_000]) });
    const { orders } = service.ports;
    const known = await orders.find(orderId);
    if (!known) throw new Error("The order is missing.");
    const order = {
      ...known,
      orderId: freshId(),
      idempotencyKey: null,
      status: "reserved" as const,
    };
    const payment = { reference: freshId(), isCollected: false };
    const note = { account, keyId: null, action: "order.repair", subject: "", requestId: "test" };
    let repairing: ReturnType<typeof orders.restore> | undefined;
    const free = await inTransaction(database.for("money").orm, async (transaction) => {
      await rowsOf(
        transaction,
        sql`select 1 from balances where account = ${account} for no key update`,
      );
      repairing = orders.restore(order, payment, note);
      await untilOneWaits(database);
      return database.query(
        "select 1 from budgets where account = $1 for no key update skip locked",
        [account],
      );
    });
    expect(free).toHaveLength(1);
    expect(await repairing).toEqual({ outcome: "reserved" });
    expect((await payments.budgets.getBudgets()).limits).toMatchObject([{ used: "200" }]);
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });
});

/** Waits until a statement waits for a lock. */
async function untilOneWaits(database: Database): Promise<void> {
  for (;;) {
    const rows = await database.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      [],
    );
    if (rows.length > 0) return;
  }
}
