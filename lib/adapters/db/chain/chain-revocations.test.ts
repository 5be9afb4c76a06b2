import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../client.ts";
import { ruleStores } from "../testing/stores.ts";
import { createRevocationQueue } from "./chain-revocations.ts";

describe.each(ruleStores())("revocations that wait for the chain, $name", ({ open }) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  test("are put off however often they were tried in vain", async () => {
    await database.query(
      `insert into outbox (kind, ref, payload, state, attempts, due_at, fence, created_at)
       values ('chain.revoke', 'long', '{}', 'open', 5000, app_now(), 0, app_now())`,
      [],
    );
    await createRevocationQueue(database).putOff("long", "No gas money.");
    const [row] = await database.query<{ attempts: number; secs: number }>(
      `select attempts, extract(epoch from due_at - app_now())::float8 as secs from outbox where ref = 'long'`,
      [],
    );
    expect(row?.attempts).toBe(5001);
    expect(row?.secs).toBeGreaterThan(290);
  });
});
