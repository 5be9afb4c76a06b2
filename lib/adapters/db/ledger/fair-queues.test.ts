import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../client.ts";
import { createPayouts } from "../money/payouts.ts";
import { createRefundQueue } from "../money/refund-queue.ts";
import { createRenewals } from "../money/renewals.ts";
import { createOrderQueue } from "../order-queue.ts";
import { openOneConnection } from "../testing/count-reads.ts";

const LIMIT = 20;

type Queue = { table: string; values: string; take: () => Promise<unknown[]> };

let database: Database;
const run = (text: string, ...parameters: unknown[]) => database.query(text, parameters);

beforeAll(async () => {
  database = await openOneConnection();
  // Rows without what they refer to.
  await run("set session_replication_role = replica");
}, 60_000);
afterAll(() => database.close());

/** Row number `n` of account `who`, as JSON: what all tables need is added. */
const QUEUES: Queue[] = [
  {
    table: "orders",
    values: `'order_id', who || n, 'account', who, 'plan_version', 1, 'is_trial', false, 'status', 'charging', 'price', 1,
      'reserved_cents', 0, 'reserved_amount', 0, 'ends_delegation', false, 'attempt', 1, 'reversed_amount', 0, 'is_collected', false, 'checks', 0`,
    take: () => createOrderQueue(database.orm).takeDue(LIMIT),
  },
  {
    // A builder's, each of another subscriber.
    table: "refunds",
    values: `'refund_id', who || n, 'owner', who, 'account', n, 'amount', 1, 'credits', 1, 'state', 'open', 'made_by', 'builder', 'checks', 0`,
    take: () => createRefundQueue(database.orm).takeDue(LIMIT),
  },
  {
    table: "payouts",
    values: `'payout_id', who || n, 'account', who, 'processor_account', 'acct', 'amount', 1, 'state', 'sent'`,
    take: () => createPayouts(database).takeDuePayouts(LIMIT),
  },
  {
    table: "renewals",
    values: `'account', who, 'plan_id', n + 1, 'plan_version', 1, 'delegation_id', 'd', 'price', 1, 'duration_secs', 1,
      'period_end', now(), 'attempt', 0, 'state', 'on'`,
    take: () => createRenewals(database.orm).takeDue(LIMIT),
  },
];

test.each(QUEUES)(
  "thousands of an account's $table that make no progress are taken in turn with another account's",
  async ({ table, values, take }) => {
    await run(
      `insert into ${table} select (jsonb_populate_record(null::${table}, jsonb_build_object('plan_id', '1', 'scheme', '', 'currency', 'usd',
         'fingerprint', '', 'created_at', now(), 'updated_at', now(), 'due_at', now() - n * interval '1 second', ${values}))).*
       from (select 'many' as who, n from generate_series(11, 3010) n union all select 'other', n from generate_series(1, 2) n) due`,
    );
    await take();
    const left = await run(
      `select ${table === "refunds" ? "owner" : "account"} as who, count(*)::int as n, extract(epoch from max(due_at) - min(due_at))::int as secs
       from ${table} where due_at <= app_now() group by 1`,
    );
    // Of one account's those that are due for longest were taken.
    expect(left).toEqual([{ who: "many", n: 3_000 - 18, secs: 3_000 - 18 - 1 }]);
  },
);
