import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, inTransaction, type Orm, rowsOf } from "../client.ts";
import { BROKEN_CALLS } from "../testing/broken-calls.ts";
import { BROKEN_ORDERS } from "../testing/broken-orders.ts";
import { SOUND_LEDGER, writeRows } from "../testing/sound-ledger.ts";
import { brokenRules, ruleStores } from "../testing/stores.ts";

/** What is asked each minute: the changes of the last hour, and late work. */
const RECENT = ["check_recent_balances", "check_recent_settlements", "check_recent_orders"];
const NAMED = [
  ...RECENT.map((check) => `select * from ${check}(app_now() - interval '1 hour')`),
  "select * from list_late_work()",
].join(" union all ");

const BROKEN_LEDGERS = [...BROKEN_CALLS, ...BROKEN_ORDERS];

class Undo extends Error {}

/** The rules that a ledger breaks: of all of it, and with their subjects of what is asked each minute. */
async function broken(orm: Orm) {
  const views = "select rule from broken_invariants() where broken > 0 order by rule";
  const all = await rowsOf<{ rule: string }>(orm, sql.raw(views));
  const ask = async () => {
    const named = await rowsOf<{ rule: string; subject: string }>(orm, sql.raw(NAMED));
    return named.map(({ rule, subject }) => `${rule} ${subject}`).sort();
  };
  // Asking writes down which balances are sound, so that what is not has to be found again.
  return { all: all.map(({ rule }) => rule), recent: await ask(), again: await ask() };
}

describe.each(ruleStores())("what must always hold, on $name", ({ open }) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
    await inTransaction(database.orm, (orm) => writeRows(orm, SOUND_LEDGER));
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** What the rules say of the sound ledger with some rows changed, which are then as before. */
  async function brokenWith(statements: string) {
    let found: Awaited<ReturnType<typeof broken>> | undefined;
    const undone = inTransaction(database.orm, async (orm) => {
      await writeRows(orm, statements);
      found = await broken(orm);
      throw new Undo();
    });
    await expect(undone).rejects.toBeInstanceOf(Undo);
    return found;
  }

  test("a sound ledger breaks no rule", async () => {
    expect(await brokenWith("null")).toEqual({ all: [], recent: [], again: [] });
  });

  test.each(BROKEN_LEDGERS)("$what", async ({ statements, breaks, recent = [] }) => {
    expect(await brokenWith(statements)).toEqual({ all: breaks, recent, again: recent });
  });

  test("a settlement and its transfer on either side of the time that is asked about break no rule", async () => {
    const edges = `perform set_config('test.edge', (select max(created_at) from settlements)::text, true);
      update transfers set created_at = created_at - interval '5 seconds' where kind in ('burn', 'post')`;
    const edge = "current_setting('test.edge')::timestamptz";
    const undone = inTransaction(database.orm, async (orm) => {
      await writeRows(orm, edges);
      for (const range of [edge, `'-infinity', ${edge}`]) {
        const rows = await rowsOf(orm, sql.raw(`select * from check_recent_settlements(${range})`));
        expect(rows).toEqual([]);
      }
      throw new Undo();
    });
    await expect(undone).rejects.toBeInstanceOf(Undo);
  });

  test("every rule has a ledger here that breaks it", async () => {
    const views = await database.query<{ name: string }>(
      "select table_name as name from information_schema.views where table_schema = current_schema() and table_name like 'inv\\_%'",
      [],
    );
    const rules = new Set(BROKEN_LEDGERS.flatMap(({ breaks }) => breaks));
    expect(views.length).toBeGreaterThan(40);
    expect(views.filter(({ name }) => !rules.has(name))).toEqual([]);
  });

  test("so has every rule that is asked each minute", () => {
    const text = readFileSync("lib/adapters/db/functions/recent-rules.sql", "utf8");
    const asked = [...text.matchAll(/'(inv_\w+)'/g)].map(([, rule]) => rule as string);
    const named = BROKEN_LEDGERS.flatMap(({ recent = [] }) => recent);
    const rules = new Set(named.map((each) => each.split(" ")[0]));
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((rule) => !rules.has(rule))).toEqual([]);
  });
});
