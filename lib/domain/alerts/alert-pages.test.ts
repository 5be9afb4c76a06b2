import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestParty } from "@/lib/server/testing/test-service.ts";

const ROWS = 7;
const PAGE = 2;

describe.each(ruleStores())("pages of a list on $name", ({ open }) => {
  let database: Database;
  let party: TestParty;

  beforeAll(async () => {
    database = await open();
    party = await createTestService(database).party();
    // Within one millisecond, and with ids in no order of theirs.
    await database.query(
      `insert into alerts (alert_id, account, rule_id, kind, object, measure, name, value, threshold, email, webhook, created_at)
        select md5(n::text), $1, n, 'payout-failed', n, '', n, '1', 1, false, false,
          timestamptz '2026-01-01 00:00:00Z' + n / 2 * interval '100 microseconds' from generate_series(1, ${ROWS}) n`,
      [party.address],
    );
  });
  afterAll(() => database.close());

  const read = (query: object) => party.payments.alerts.listAlerts({ limit: PAGE, ...query });
  const idsOf = ({ items }: Awaited<ReturnType<typeof read>>) =>
    items.map(({ alertId }) => alertId);

  test("rows of one millisecond are each on one page, in the order of the whole list", async () => {
    const all = idsOf(await read({ limit: 100 }));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await read(cursor ? { cursor } : {});
      expect(page.total).toBe(ROWS);
      seen.push(...idsOf(page));
      cursor = page.nextCursor;
    } while (cursor);
    expect(all).toHaveLength(ROWS);
    expect(seen).toEqual(all);
  });

  test("a cursor in milliseconds, as before, still leads on", async () => {
    const cursor = Buffer.from("2026-01-01T00:00:00.001Z x").toString("base64url");
    expect(idsOf(await read({ cursor, limit: 100 }))).toHaveLength(ROWS);
  });

  test.each([
    "2026-02-30T00:00:00.000000Z x",
    "0000-01-01T00:00:00.000Z x",
    "2026-01-01T00:00:00.0000Z x",
  ])("the cursor %s is refused", async (text) => {
    const cursor = Buffer.from(text).toString("base64url");
    await expect(read({ cursor })).rejects.toMatchObject({ code: "invalid_input" });
  });
});
