import { afterAll, beforeAll, expect, test } from "vitest";
import type { StatementSection } from "@/lib/domain/money/statement-ports.ts";
import { createMarket, createTestService } from "@/lib/server/testing/test-service.ts";
import type { Database } from "../client.ts";
import { readValue } from "../rows.ts";
import { countReads, openOneConnection } from "../testing/count-reads.ts";
import { createMoneyBook } from "./money-book.ts";
import { movesOf } from "./moves.ts";
import { createPayouts } from "./payouts.ts";
import { createStatements } from "./statements.ts";

const ORDERS = 60;
const OLD = 3_000;
const BUILDERS = ["0xb0", "0xb1", "0xb2"];
const KINDS = "array['earned', 'fee', 'refunded', 'reversed', 'restored', 'paid-out', 'returned']";

/** Every row, as it counts now. */
const ALL = `
  select y.currency, sum(s.amount)::text as amount,
    coalesce(sum(s.amount) filter (where y.order_id is null or s.has_cleared
      or (not s.is_converted and y.kind in ('refunded', 'reversed', 'restored'))), 0)::text as cleared,
    coalesce(sum(s.amount) filter (where s.is_converted), 0)::text as converted
  from payables y left join clearings c using (order_id)
  cross join lateral (select payable_sign(y.kind) * y.amount as amount, coalesce(c.currency <> y.currency, false) as is_converted,
    coalesce(c.currency = y.currency and c.available_on <= app_now(), false) as has_cleared) s
  where y.owner = $1 group by y.currency order by y.currency`;

/** Every movement of a builder. */
const MOVES = `select id, at, currency as unit, amount::text from (${movesOf()}) m order by at desc, id desc`;

let database: Database;

beforeAll(async () => {
  database = await openOneConnection();
  await createMarket(createTestService(database));
  // Orders without what they refer to, whose triggers do not run.
  await database.query("set session_replication_role = replica", []);
  await database.query(
    `insert into orders select (jsonb_populate_record(o, jsonb_build_object('order_id', 'o' || n, 'idempotency_key', null))).*
     from orders o, generate_series(1, ${ORDERS}) n`,
    [],
  );
  await database.query("reset session_replication_role", []);
});
afterAll(() => database.close());

test("what is owed is the sum of every row, whatever of it was summed and has cleared", async () => {
  const { owed } = createPayouts(database);
  const [statements, book] = [createStatements(database), createMoneyBook(database)];
  const check = async () => {
    for (const builder of BUILDERS) {
      const sums = await owed(builder);
      const all = await database.query<{ amount: string }>(ALL, [builder]);
      expect(sums.map((row) => JSON.parse(JSON.stringify(row, textOf)))).toEqual(
        all.filter(({ amount }) => amount !== "0"),
      );
    }
    expect(await database.query("select * from inv_owed_sums", [])).toEqual([]);
    await checkMoves();
  };
  const checkMoves = async () => {
    const now = await readValue<Date>(database.query("select app_now() as now", []));
    for (const account of BUILDERS) {
      const moves = await database.query<Move>(MOVES, [account, ""]);
      for (const hours of [0, 30, 90, 1000]) {
        const from = new Date(Number(now) - hours * 3_600_000);
        const to = new Date(Number(from) + 24 * 3_600_000);
        const sections = await statements.listSections({ account, token: "", from, to });
        const units = sections.filter(({ section }) => section === "balance");
        expect(units.map(sumsOf)).toEqual(sumsOfMoves(moves, from, to));
      }
      const page = { limit: 25 };
      let { items, nextCursor: cursor } = await book.listMovements(account, "", page);
      while (cursor && items.length < 90) {
        const next = await book.listMovements(account, "", { ...page, cursor });
        items = [...items, ...next.items];
        cursor = next.nextCursor;
      }
      expect(items.map(({ movementId }) => movementId)).toEqual(
        moves.slice(0, items.length).map(({ id }) => id),
      );
    }
  };
  await database.query("select setseed(0.5)", []);
  let summed = 0;
  for (let day = 1; day <= 12; day += 1) {
    await database.query(
      `insert into payables (order_id, owner, receiver, currency, kind, amount, created_at)
       select 'o' || n, '0xb' || n % 3, 'r', case n % 2 when 0 then 'usd' else 'eur' end, (${KINDS})[1 + floor(random() * 7)::int],
         1 + floor(random() * 1000)::int, app_now() from (select 1 + floor(random() * ${ORDERS})::int as n from generate_series(1, 40)) picked`,
      [],
    );
    // Of some the processor says it now, of others later; of one in four in another currency.
    await database.query(
      `select write_clearings((select jsonb_agg(jsonb_build_object('orderId', order_id,
         'currency', case floor(random() * 4)::int when 0 then 'gbp' else (select max(y.currency) from payables y where y.order_id = c.order_id) end,
         'availableOn', app_now() + random() * interval '3 days')) from clearings c where available_on is null and random() < 0.5))`,
      [],
    );
    await check();
    const [row] = await database.query<{ n: number }>("select sum_payables(25) as n", []);
    summed += row?.n ?? 0;
    await check();
    // The clock of a standby that takes over may be behind.
    for (const hours of [-12, 36]) {
      await database.query(
        "insert into clock (id, offset_ms) values (1, $1) on conflict (id) do update set offset_ms = clock.offset_ms + excluded.offset_ms",
        [hours * 3_600_000],
      );
      await check();
    }
  }
  expect(summed).toBeGreaterThan(150);
});

test("a statement and the newest movements read what came since, not every sale of the builder", async () => {
  const [account = ""] = BUILDERS;
  await database.query(
    `insert into payables (order_id, owner, receiver, currency, kind, amount, created_at)
     select 'o1', case n % 20 when 0 then $1 else '0xc' || n % 20 end, 'r', 'usd', 'reversed', 1, app_now() - interval '40 days'
     from generate_series(1, 20 * ${OLD}) n`,
    [account],
  );
  await database.query("delete from open_payables", []);
  await database.query("vacuum analyze payables", []);
  const now = (await readValue<Date>(database.query("select app_now() as now", []))) ?? new Date();
  const scope = { account, token: "", from: now, to: new Date(Number(now) + 1) };
  const statement = await countReads(database, async () => {
    expect(await createStatements(database).listSections(scope)).not.toEqual([]);
  });
  expect(statement.rowsOf("payables")).toBeLessThan(OLD / 2);
  const movements = await countReads(database, async () => {
    const { items } = await createMoneyBook(database).listMovements(account, "", { limit: 1 });
    expect(items).toHaveLength(1);
  });
  // All of them are counted, once.
  expect(movements.rowsOf("payables")).toBeLessThan(OLD * 1.5);
});

type Move = { id: string; at: Date; unit: string; amount: string };

const sumsOf = ({ unit, opening, closing, entries }: StatementSection) => ({
  unit,
  opening,
  closing,
  entries,
});

function sumsOfMoves(moves: Move[], from: Date, to: Date): ReturnType<typeof sumsOf>[] {
  const sumOf = (some: Move[]) => some.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  return [...new Set(moves.map(({ unit }) => unit))]
    .sort()
    .map((unit) => {
      const before = moves.filter((move) => move.unit === unit && move.at < to);
      const opening = sumOf(before.filter(({ at }) => at < from));
      const entries = before.filter(({ at }) => at >= from).length;
      return { unit, opening, closing: sumOf(before), entries };
    })
    .filter(({ opening, entries }) => opening !== 0n || entries > 0);
}

const textOf = (_: string, value: unknown) =>
  typeof value === "bigint" ? value.toString() : value;
