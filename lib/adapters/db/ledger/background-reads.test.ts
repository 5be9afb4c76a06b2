import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createMarket,
  createTestService,
  type TestMarket,
} from "@/lib/server/testing/test-service.ts";
import { createAlerts } from "../alerts/alerts.ts";
import type { Database } from "../client.ts";
import { createCreditsLedger } from "../credits-ledger.ts";
import { createDeposits } from "../money/deposits.ts";
import { createPayouts } from "../money/payouts.ts";
import { createOrderQueue } from "../order-queue.ts";
import { createSignIns } from "../sign-ins.ts";
import { countReads, openOneConnection } from "../testing/count-reads.ts";

const MANY = 3_000;
const MOVED = 10;
/** Far more than any of these needs, and far less than all rows. */
const FEW = MANY / 10;

let database: Database;
let market: TestMarket;

// What is read of an order or a balance must not grow with how many others there are.
beforeAll(async () => {
  database = await openOneConnection();
  market = await createMarket(createTestService(database));
  const { builder, subscriber } = market;
  const copies = (table: string, to: string) =>
    `insert into ${table} select (jsonb_populate_record(x, jsonb_build_object(${to}))).*
     from ${table} x, generate_series(1, ${MANY}) n where x.account = '${subscriber.address}'`;
  const refund = `'0xa' || n, '${builder.address}', '${market.planId}'`;
  const statements = [
    `insert into accounts select (jsonb_populate_record(a, jsonb_build_object('address', '0xa' || n))).*
     from accounts a, generate_series(1, ${MANY}) n where a.address = '${subscriber.address}'`,
    copies("balances", "'account', '0xa' || n, 'available', 0"),
    copies("orders", "'order_id', 'order-' || n, 'idempotency_key', null, 'account', '0xa' || n"),
    `insert into transfers (account, plan_id, seq, kind, debit, credit, amount, ref, created_at, hash)
     select '0xa' || n, '${market.planId}', 2, 'refund', 'available', 'refunded', 1, 'refund-' || n, now(), '' from generate_series(1, ${MANY}) n`,
    `insert into refunds (refund_id, order_id, account, owner, plan_id, scheme, currency, amount, credits, state, made_by, fingerprint, created_at, updated_at)
     select 'refund-' || n, 'order-' || n, ${refund}, 'rail', 'usd', 1, 1, 'paid', 'builder', '', now(), now() from generate_series(1, ${MANY}) n`,
    `insert into chain_orders (order_id, grant_id, total, state, since_block, created_at)
     select 'order-' || n, 'grant', 1, 'paid', 1, now() from generate_series(1, ${MANY}) n`,
    `insert into payables (order_id, owner, receiver, currency, kind, amount, created_at)
     select 'order-' || n, '${builder.address}', '${builder.address}', 'usd', 'earned', 1, now() from generate_series(1, ${MANY}) n`,
    "insert into open_payables select id, owner from payables",
    `insert into clearings (order_id, currency, available_on)
     select 'order-' || n, 'usd', now() - interval '1 day' from generate_series(1, ${MANY}) n`,
    `insert into sessions (hash, account, method, created_at, seen_at, expires_at)
     select 'session-' || n, '0xa' || n, 'wallet', now(), now(), now() + interval '1 hour' from generate_series(1, ${MANY}) n`,
    `insert into alert_accounts (account, due_at, slow_at, seen_at, cards, cards_at)
     select '0xa' || n, now(), now(), now(), '[]', now() from generate_series(1, ${MANY}) n`,
    copies(
      "delegations",
      `'delegation_id', 'delegation-' || n, 'account', '0xa' || n, 'payment_method_id', case when n <= ${MOVED} then 'card' end`,
    ),
    `insert into chain_cursors (contract, block, first)
     select 'deposits 0xtoken 0x' || n, 100, case n when 0 then 101 else 100 end from generate_series(0, ${MANY}) n`,
    // Credits that are sold, so that the chain has them too.
    `update plan_versions set price = price || '{"amounts": ["1"]}'`,
    "update orders set updated_at = now() - interval '1 day'",
    "update refunds set updated_at = now() - interval '1 day'",
  ];
  // Rows without what they refer to, whose triggers do not run.
  await database.query("set session_replication_role = replica", []);
  for (const statement of statements) await database.query(statement, []);
  await database.query("reset session_replication_role", []);
  await database.query("analyze", []);
}, 60_000);
afterAll(() => database.close());

test("the rules of an order and a refund that moved read what went back of it alone", async () => {
  for (const table of ["orders", "refunds"]) {
    await database.query(
      `update ${table} set updated_at = now() where order_id in (select 'order-' || n from generate_series(1, ${MOVED}) n)`,
      [],
    );
  }
  const read = await countReads(database, () =>
    database.query("select * from check_recent_orders(now() - interval '1 hour')", []),
  );
  for (const table of ["transfers", "refunds", "orders"]) {
    expect(read.rowsOf(table)).toBeGreaterThanOrEqual(MOVED);
    expect(read.rowsOf(table)).toBeLessThan(FEW);
  }
});

test("a builder's card money is summed with one look at the clock, and once summed, of what came since", async () => {
  const { builder } = market;
  const { owed, sumCleared } = createPayouts(database);
  const summed = [{ amount: BigInt(MANY), cleared: BigInt(MANY) }];
  const whole = await countReads(database, async () => {
    expect(await owed(builder.address)).toMatchObject(summed);
  });
  expect(whole.callsOf("app_now")).toBe(1);
  expect(await sumCleared()).toBe(MANY);
  expect(await sumCleared()).toBe(0);
  const rest = await countReads(database, async () => {
    expect(await owed(builder.address)).toMatchObject(summed);
    const fees = await database.query("select lost_fees($1, 'usd', '', 0)", [builder.address]);
    expect(fees).toEqual([{ lost_fees: 0n }]);
  });
  expect(rest.rowsOf("payables")).toBeLessThan(FEW);
});

test("a sweep reads the balances that have expired", async () => {
  const read = await countReads(database, () =>
    database.query("select sweep_expired_balances(100), sweep_debts(100)", []),
  );
  expect(read.rowsOf("balances")).toBeLessThan(FEW);
  expect(read.callsOf("app_now")).toBeLessThan(FEW);
});

test("a page of balances that are compared with the chain reads the refunds of its accounts", async () => {
  const list = (limit: number) => () =>
    createCreditsLedger(database).listBalances({ block: 1n, after: null, limit });
  const page = await list(MOVED)();
  expect(page).toHaveLength(MOVED);
  expect(page.flatMap(({ refunds }) => refunds ?? []).length).toBeGreaterThanOrEqual(MOVED - 1);
  const read = await countReads(database, list(MOVED));
  for (const table of ["refunds", "chain_orders", "orders", "balances", "accounts"]) {
    expect(read.rowsOf(table)).toBeLessThan(FEW);
  }
});

test("orders that need a person are counted without reading the others", async () => {
  const read = await countReads(database, () => createOrderQueue(database.orm).countStuck());
  expect(read.rowsOf("orders")).toBeLessThan(FEW);
});

test("sessions that have ended are deleted without reading the others", async () => {
  const read = await countReads(database, () => createSignIns(database.orm).sweep());
  expect(read.rowsOf("sessions")).toBeLessThan(FEW);
});

test("accounts whose cards are to be read are found without reading those that have none", async () => {
  const read = await countReads(database, async () => {
    expect(await createAlerts(database).takeDueCards(MOVED)).toHaveLength(MOVED);
  });
  for (const table of ["alert_accounts", "delegations"]) {
    expect(read.rowsOf(table)).toBeGreaterThanOrEqual(MOVED);
    expect(read.rowsOf(table)).toBeLessThan(FEW);
  }
  expect(read.callsOf("app_now")).toBeLessThanOrEqual(2);
});

test("an account whose first reading has not ended is found without reading the others", async () => {
  const read = await countReads(database, async () => {
    expect(await createDeposits(database).findBehind("0xtoken")).toBe("0x0");
  });
  expect(read.rowsOf("chain_cursors")).toBeLessThan(FEW);
});

test("sales of a builder that may have cleared are found without reading all their card money", async () => {
  const { builder } = market;
  const read = await countReads(database, async () => {
    expect(await createPayouts(database).takeUnclear(builder.address, MOVED)).toEqual([]);
  });
  expect(read.rowsOf("payables")).toBeLessThan(FEW);
});
