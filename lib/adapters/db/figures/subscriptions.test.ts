import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createMarket,
  createTestService,
  type TestMarket,
} from "@/lib/server/testing/test-service.ts";
import type { Database } from "../client.ts";
import { countReads, openOneConnection } from "../testing/count-reads.ts";
import { createSubscriptions } from "./subscriptions.ts";

const MANY = 2_000;
const FEW = MANY / 10;

let database: Database;
let market: TestMarket;

beforeAll(async () => {
  database = await openOneConnection();
  market = await createMarket(createTestService(database));
  await database.query("set session_replication_role = replica", []);
  for (const [table, more] of [
    ["plans", ", 'nonce', 1e6 + n"],
    ["plan_versions", ""],
    ["balances", ""],
  ]) {
    await database.query(
      `insert into ${table} select (jsonb_populate_record(x, jsonb_build_object('plan_id', (100000 + n)::text ${more}))).*
       from ${table} x, generate_series(1, ${MANY}) n where plan_id = '${market.planId}'`,
      [],
    );
  }
  await database.query("reset session_replication_role", []);
  await database.query("analyze", []);
  // As for a prepared statement from its sixth run.
  await database.query("set plan_cache_mode = force_generic_plan", []);
});
afterAll(() => database.close());

test.each([
  ["one subscription", { limit: 1 }, "101000", "101000"],
  ["a late page of subscriptions", { limit: 2, cursor: "101990" }, undefined, "101991"],
])("%s is read without the account's others", async (_, page, planId, first) => {
  const { address } = market.subscriber;
  let found: string | undefined;
  const read = await countReads(database, async () => {
    const { items } = await createSubscriptions(
      // The count of all reads all.
      planId
        ? database
        : {
            ...database,
            query: async (text, parameters) =>
              text.startsWith("select count") ? [] : database.query(text, parameters),
          },
    ).listSubscriptions(address, page, planId);
    found = items[0]?.planId;
  });
  expect(found).toBe(first);
  expect(read.rowsOf("balances")).toBeLessThan(FEW);
});
