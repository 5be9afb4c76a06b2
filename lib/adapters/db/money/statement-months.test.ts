import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMarket, createTestService } from "@/lib/server/testing/test-service.ts";
import type { Database } from "../client.ts";
import { countReads, openOneConnection } from "../testing/count-reads.ts";
import { movesOf } from "./moves.ts";
import { createStatements } from "./statements.ts";

const TOKEN = "0xt";
const SELLERS = ["0xs0", "0xs1", "0xs2"];
const KINDS = "array['earned', 'fee', 'refunded', 'reversed', 'restored', 'paid-out', 'returned']";
const SALES = 1_000;

/** Every movement of a seller's money, one by one. */
const MONTHS = `
  select to_char(at at time zone 'UTC', 'YYYY-MM') as month, 'balance' as section, currency as unit,
    coalesce(sum(amount) filter (where amount > 0), 0)::text as "in", coalesce(sum(amount) filter (where amount < 0), 0)::text as out
  from (${movesOf()}) moves where not is_open or kind = 'payout' group by 1, 2, 3 order by 1, 2, 3`;

let database: Database;

beforeAll(async () => {
  database = await openOneConnection();
  await createMarket(createTestService(database));
  // Rows without what they refer to, whose triggers do not run.
  await database.query("set session_replication_role = replica", []);
});
afterAll(() => database.close());

/** Sales by card and on chain, of which one in three was charged in another month than it was written. */
const sell = (count: number, ageDays: string, sellers = "0xs") =>
  database.query(
    `with sale as (
      select n, 'o' || n || '-' || random() as order_id, '${sellers}' || n % 3 as owner, (${ageDays}) * interval '1 day' as age from generate_series(1, ${count}) n
    ), ordered as (
      insert into orders select (jsonb_populate_record(null::orders, to_jsonb(o) || jsonb_build_object('order_id', s.order_id, 'idempotency_key', null, 'account', '0xb',
        'reference', 'tx' || s.order_id, 'status', 'minted', 'due_at', null, 'charged_at', app_now() - s.age - s.n % 3 * interval '9 hours'))).*
      from (select * from orders limit 1) o, sale s
    ), paid as (
      insert into deposits (tx_hash, log_index, account, token, sender, amount, block, created_at)
      select 'tx' || s.order_id, 0, s.owner, '${TOKEN}', case s.n % 2 when 0 then '0xb' else '0xc' end, 5, s.n, app_now() - s.age
      from sale s where s.n % 4 = 0
    )
    insert into payables (order_id, payout_id, owner, receiver, currency, kind, amount, created_at)
    select order_id, null, owner, owner, case n % 2 when 0 then 'usd' else 'eur' end,
      (${KINDS})[1 + floor(random() * 7)::int], 1 + floor(random() * 1000)::int, app_now() - age from sale where n % 4 <> 0`,
    [],
  );

async function expectMonths(sellers = SELLERS): Promise<number> {
  const { listMonths } = createStatements(database);
  let found = 0;
  for (const seller of sellers) {
    const all = await database.query<object>(MONTHS, [seller, TOKEN]);
    const months = await listMonths(seller, TOKEN);
    expect(months.map((row) => ({ ...row, in: `${row.in}`, out: `${row.out}` }))).toEqual(all);
    found += months.length;
  }
  expect(await database.query("select * from inv_statement_months", [])).toEqual([]);
  return found;
}

describe("the months of a seller", () => {
  test("are those of every movement, whatever of it was summed", async () => {
    await database.query("select setseed(0.5)", []);
    const { sumSales } = createStatements(database);
    for (let age = 200; age > 0; age -= 20) {
      await sell(60, `${age} - random() * 20`);
      await expectMonths();
      // Of one seller nothing is summed; of the others what is closed, also when less is closed than before.
      for (const days of [age - 8, age - 3, age - 19]) {
        for (const seller of SELLERS.slice(1)) {
          await sumSales(seller, TOKEN, new Date(Date.now() - days * 86_400_000));
        }
        await expectMonths();
      }
    }
    const [marks] = await database.query("select count(*)::int as n from statement_marks", []);
    expect(marks).toEqual({ n: 2 });
    expect(await expectMonths()).toBeGreaterThan(40);
  });

  test("read what was sold since, not every sale", async () => {
    const seller = "0xm0";
    const { listMonths, sumSales } = createStatements(database);
    await sell(3 * SALES, "2 + random() * 90", "0xm");
    await sumSales(seller, TOKEN, new Date());
    await sell(60, "random()", "0xm");
    await database.query("vacuum analyze payables, deposits, orders", []);
    const reads = await countReads(database, async () => {
      expect(await listMonths(seller, TOKEN)).not.toEqual([]);
    });
    for (const table of ["payables", "deposits", "orders"]) {
      expect(reads.rowsOf(table), table).toBeLessThan(SALES / 4);
    }
    await expectMonths([seller]);
  });

  test("stay to be summed while their time is not closed", async () => {
    const seller = "0xn0";
    await database.query("update plans set owner = $1", [seller]);
    await database.query(
      `insert into invoices (order_id, owner, number, owner_name, buyer, buyer_name, plan_name, created_at)
       select 'i' || n, $1, n, 's', '0xb', 'b', 'p', app_now() - interval '3 days' from generate_series(1, 20) n`,
      [seller],
    );
    const { listBusy, sumSales } = createStatements(database);
    // The chain could not be read.
    await sumSales(seller, TOKEN, new Date(0));
    expect(await listBusy(TOKEN, 10)).toEqual([seller]);
    await sumSales(seller, TOKEN, new Date());
    expect(await listBusy(TOKEN, 10)).toEqual([]);
  });
});
