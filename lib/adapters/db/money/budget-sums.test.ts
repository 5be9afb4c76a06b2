import { toJson } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBudgetMarket, limits } from "@/lib/domain/budgets/testing/budget-market.ts";
import {
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import type { Database } from "../client.ts";
import { brokenRules, ruleStores } from "../testing/stores.ts";

const MANY = 2_000;
/** Writes rows as if long ago: nothing counts them. */
const UNSEEN = `perform set_config('session_replication_role', 'replica', true)`;

/** Pages that a statement reads. */
async function pagesOf(database: Database, statement: string): Promise<number> {
  const rows = await database.query<{ "QUERY PLAN": { Plan: Record<string, number> }[] }>(
    `explain (analyze, buffers, format json) ${statement}`,
    [],
  );
  const plan = rows[0]?.["QUERY PLAN"][0]?.Plan ?? {};
  return (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
}

/** Copies of the market's one order, and as many settlements. */
async function addMany(database: Database, { subscriber: { address } }: TestMarket): Promise<void> {
  await database.query(
    `do $$ begin ${UNSEEN};
      insert into orders select (jsonb_populate_record(o, jsonb_build_object('order_id', o.order_id || n, 'idempotency_key', null))).*
      from orders o, generate_series(1, ${MANY}) n where o.account = '${address}';
      insert into settlements select (jsonb_populate_record(s, jsonb_build_object('request_key', s.request_key || n, 'settlement_id', s.settlement_id || n))).*
      from settlements s, generate_series(1, ${MANY}) n where s.account = '${address}';
    end $$`,
    [],
  );
  await database.query("analyze orders", []);
  await database.query("analyze settlements", []);
}

describe.each(ruleStores())("sums of what budgets count on $name", ({ open }) => {
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

  test("neither a verify nor another budget reads the orders and calls of the month again", async () => {
    const database = await open();
    const { market, calls } = await createBudgetMarket(createTestService(database), {
      perCall: 1n,
    });
    const { address, payments } = market.subscriber;
    const rows = limits(["month", "money", 10_000], ["month", "credits", 10_000]);
    expect((await calls.settle()).body).toMatchObject({ success: true });
    await payments.budgets.setBudgets({ limits: rows });
    const verify = `select * from budget_room('${address}', null, '${market.builder.address}', null, '', app_now())`;
    const set = `select set_budgets('${address}', '${address}', '${toJson({ currency: "usd", limits: rows })}')`;
    for (const statement of [verify, set]) await pagesOf(database, statement);
    const few = [await pagesOf(database, verify), await pagesOf(database, set)];
    await addMany(database, market);
    for (const statement of [verify, set]) await pagesOf(database, statement);
    expect(await pagesOf(database, verify)).toBeLessThan((few[0] ?? 0) + 20);
    expect(await pagesOf(database, set)).toBeLessThan((few[1] ?? 0) + 20);
    await database.close();
  });

  longTest("a verify reads no more for thousands of delegations than for one", async () => {
    const database = await open();
    const { market, delegationId, calls } = await createBudgetMarket(createTestService(database));
    const { address, payments } = market.subscriber;
    const { agentId } = market;
    const builder = market.builder.address;
    const rows = [{}, { builder }, { agentId }].flatMap((more) =>
      limits(["month", "money", 10_000_000, more], ["month", "credits", 10_000_000, more]),
    );
    await payments.budgets.setBudgets({ limits: rows });
    expect((await calls.settle()).body).toMatchObject({ success: true });
    const verify = `select * from budget_room('${address}', '${delegationId}', '${builder}', '${agentId}', '', app_now())`;
    await pagesOf(database, verify);
    const few = await pagesOf(database, verify);
    await database.query(
      `insert into orders select (jsonb_populate_record(o, jsonb_build_object('order_id', o.order_id || n, 'idempotency_key', null, 'delegation_id', n))).*
       from orders o, generate_series(1, ${MANY}) n where o.account = $1`,
      [address],
    );
    await pagesOf(database, verify);
    expect(await pagesOf(database, verify)).toBeLessThan(few + 20);
    expect((await payments.budgets.getBudgets()).limits).toMatchObject([
      { used: String((MANY + 1) * 100) },
      ...Array(5).fill({}),
    ]);
    await database.close();
  });

  test("an order locks no more for thousands of delegations with budgets than for one", async () => {
    const database = await open();
    const { market, delegationId } = await createBudgetMarket(createTestService(database));
    const { address, payments } = market.subscriber;
    await payments.budgets.setBudgets({ limits: limits(["month", "money", 10_000]) });
    const order = `select order_budgets('${address}', '', '${delegationId}', '${market.planId}', null, 'usd', 100, '', '', false, app_now())`;
    // Postgres keeps a statement's plan after five.
    for (const _ of Array(6)) await pagesOf(database, order);
    const few = await pagesOf(database, order);
    await database.query(
      `insert into budgets select n, account, document, updated_at from budgets, generate_series(1, ${MANY}) n where account = $1`,
      [address],
    );
    await pagesOf(database, order);
    expect(await pagesOf(database, order)).toBeLessThan(few + 20);
    await database.close();
  });

  test("an account's first budget counts its orders a day at a time", async () => {
    const { market } = await createBudgetMarket(service);
    const { address, payments } = market.subscriber;
    for (const _ of [1, 2]) await payments.plans.orderPlan(market.planId);
    await database.query(
      "update orders set created_at = created_at + interval '1 day' where order_id = (select max(order_id) from orders where account = $1)",
      [address],
    );
    await database.query("select begin_count($1)", [address]);
    let read: string | null = null;
    const steps = [];
    for (const _ of [1, 2, 3]) {
      const query = "select read_uses($1, $2)::text as read";
      const [row]: { read: string }[] = await database.query(query, [address, read]);
      read = row?.read ?? "";
      const [sum] = await database.query<{ cents: bigint }>(
        "select coalesce(sum(amount), 0) as cents from budget_sums where scope = $1 and payee = ''",
        [address],
      );
      steps.push([Number(sum?.cents), JSON.parse(read).isLast]);
    }
    expect(steps).toEqual([
      [100, false],
      [200, false],
      [200, true],
    ]);
    await database.query("select count_budgets($1, $2)", [address, read]);
  });

  test("counts of the release before count until they are moved, and once afterwards", async () => {
    const { market, calls, delegationId } = await createBudgetMarket(service);
    const { subscriber, builder, agentId } = market;
    const { budgets } = subscriber.payments;
    const rows = [{}, { builder: builder.address }, { agentId }].flatMap((more) =>
      limits(["month", "money", 350, more], ["month", "credits", 1_000, more]),
    );
    for (const _ of [1, 2]) expect((await calls.settle()).body).toMatchObject({ success: true });
    await budgets.setBudgets({ limits: rows });
    await budgets.setDelegationBudgets(delegationId, { limits: rows });
    for (const [table, used] of Object.entries({ budget_money: "'usd', 200", budget_uses: "20" }))
      await database.query(
        `insert into ${table} select $1, (app_now() at time zone 'UTC')::date, $2, $3, $4, ${used}`,
        [subscriber.address, delegationId, builder.address, agentId],
      );
    await database.query("delete from budget_sums where account = $1", [subscriber.address]);
    const used = async () => {
      const both = [await budgets.getBudgets(), await budgets.getDelegationBudgets(delegationId)];
      return both.flatMap(({ limits }) => limits.map((limit) => limit.used));
    };
    const all = (money: string, credits: string) => Array(6).fill([money, credits]).flat();
    expect(await used()).toEqual(all("200", "20"));
    expect((await calls.settle()).body).toMatchObject({ success: true });
    expect((await calls.settle()).body).toMatchObject({ cause: "budget_per_month" });
    expect(await used()).toEqual(all("300", "30"));
    expect(await brokenRules(database)).toEqual([]);
    while (await service.ports.budgets.countNext());
    expect(await used()).toEqual(all("300", "30"));
    expect((await calls.settle()).body).toMatchObject({ cause: "budget_per_month" });
    expect(await database.query("select * from old_counts", [])).toEqual([]);
  });
});
