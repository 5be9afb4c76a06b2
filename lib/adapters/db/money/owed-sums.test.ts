import { afterAll, beforeAll, expect, test } from "vitest";
import { createMarket, createTestService } from "@/lib/server/testing/test-service.ts";
import type { Database } from "../client.ts";
import { openOneConnection } from "../testing/count-reads.ts";
import { createPayouts } from "./payouts.ts";

const ORDERS = 60;
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
  const check = async () => {
    for (const builder of BUILDERS) {
      const sums = await owed(builder);
      const all = await database.query<{ amount: string }>(ALL, [builder]);
      expect(sums.map((row) => JSON.parse(JSON.stringify(row, textOf)))).toEqual(
        all.filter(({ amount }) => amount !== "0"),
      );
    }
    expect(await database.query("select * from inv_owed_sums", [])).toEqual([]);
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

const textOf = (_: string, value: unknown) =>
  typeof value === "bigint" ? value.toString() : value;
