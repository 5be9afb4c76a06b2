import { afterAll, beforeAll, expect, test } from "vitest";
import { BUILT_IN_RULES } from "@/lib/domain/alerts/built-in-rules.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
} from "@/lib/server/testing/test-service.ts";
import type { Database } from "../client.ts";
import { countReads, openOneConnection } from "../testing/count-reads.ts";

/** Calls of one subscriber, all of the last minutes. */
const CALLS = 5_000;
const OTHERS = 3_000;
/** How many of the latest calls a value is of. */
const LATEST = 1_000;

let database: Database;
let market: TestMarket;

// A session plans its statements once: soon after an installation before anything is known of the tables.
const evaluate = (account: string, slow: boolean) =>
  database.query("select evaluate_alerts($1, $2, $3)", [
    account,
    JSON.stringify(BUILT_IN_RULES),
    slow,
  ]);

beforeAll(async () => {
  database = await openOneConnection();
  market = await createMarket(createTestService(database));
  const { subscriber, builder, planId } = market;
  await database.query("set session_replication_role = replica", []);
  await database.query(
    `insert into transfers (account, plan_id, seq, kind, debit, credit, amount, ref, created_at, hash)
     select $1, $2, 1 + n, 'burn', 'available', 'burned', 1, 'settlement-' || n, now(), '' from generate_series(1, $3::int) n`,
    [subscriber.address, planId, CALLS],
  );
  await database.query(
    `insert into balances select (jsonb_populate_record(b, jsonb_build_object('account', '0xa' || n))).*
     from balances b, generate_series(1, $1::int) n`,
    [OTHERS],
  );
  await database.query("update balances set seq = 1 + $2 where account = $1", [
    subscriber.address,
    CALLS,
  ]);
  await database.query(
    `insert into settlements (request_key, builder, agent_request_id, settlement_id, fingerprint, account, plan_id, jti,
       delegation_id, scheme, network, amount, remaining, from_hold, transaction, chain_status, created_at)
     select $1 || '/' || n, $1, n, 'settlement-' || n, '', $2, $3, 'token', 'delegation', 'scheme', 'network', 1, 1, false, '', 'none',
       now() - make_interval(secs => n / 100.0) from generate_series(1, $4::int) n`,
    [builder.address, subscriber.address, planId, CALLS],
  );
  await database.query("set session_replication_role = origin", []);
}, 60_000);
afterAll(() => database.close());

test("alerts of an account with many calls read the last transfer of each balance alone", async () => {
  const read = await countReads(database, () => evaluate(market.subscriber.address, false));
  expect(read.rowsOf("balances")).toBe(1);
  expect(read.rowsOf("transfers")).toBe(1);
});

test.each(["subscriber", "builder"] as const)(
  "rates of a %s with many calls are of the latest alone, and read no others",
  async (side) => {
    const read = await countReads(database, () => evaluate(market[side].address, true));
    expect(read.rowsOf("settlements")).toBeGreaterThanOrEqual(LATEST);
    expect(read.rowsOf("settlements")).toBeLessThan(LATEST + 10);
  },
);
