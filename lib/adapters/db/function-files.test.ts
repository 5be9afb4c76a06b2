import { readdirSync, readFileSync, rmSync } from "node:fs";
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres";
import { migrate as migratePg } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { statementsUnder } from "@/lib/server/testing/page-statements.ts";
import { openDatabase } from "./client.ts";
import {
  applyFunctionFiles,
  firstLineOf,
  parseFunctionFile,
  readFunctionFiles,
} from "./function-files.ts";
import { createOrders } from "./orders.ts";
import { copyMigrations, MIGRATIONS, oldStores } from "./testing/old-database.ts";
import { brokenRules, createTestDatabase } from "./testing/stores.ts";

/** The last migration of the release that kept its functions in migrations. */
const LAST_OF_OLD_RELEASE = 10;
const OLD_FUNCTIONS = readFileSync("lib/adapters/db/testing/release-0.1.0-functions.sql", "utf8");

const ACCOUNT = "0x00000000000000000000000000000000000000A1";
/** A minted card order. */
const ORDER = `
  insert into accounts (address, owner, is_operator, created_at) values ('${ACCOUNT}', '${ACCOUNT}', false, now());
  insert into plans (plan_id, owner, state, version, access_limit, is_trial, metadata, created_at, updated_at)
    values ('7', '${ACCOUNT}', 'listed', 1, 'credits', false, '{"name": "Old"}', now(), now());
  insert into plan_versions (plan_id, version, price, is_crypto, granted, min_amount, max_amount, is_fixed, redemption_type,
    proof_required, duration_secs, created_at)
    values ('7', 1, '{"amounts": ["2000000"], "receivers": ["${ACCOUNT}"], "isCrypto": false, "currency": "USD"}', false, 10, 1, 1,
      true, 0, false, 0, now());
  insert into orders (order_id, account, plan_id, plan_version, is_trial, status, scheme, price, currency, reserved_cents,
    reserved_amount, fingerprint, attempt, created_at, charged_at, updated_at)
    values ('old', '${ACCOUNT}', '7', 1, false, 'minted', 'svc:card-delegation', 2000000, 'usd', 0, 0, '', 1, now(), now(), now());
  select mint_order('old', '${ACCOUNT}', '7', 1);`;
/** As the old release left it: the money it collected is booked for the receiver. */
const OLD_ORDER = `${ORDER} select book_payables('old', 'earned', null);`;

/** One that is due. */
const RENEWAL = `
  insert into renewals (account, plan_id, state, delegation_id, price, currency, duration_secs, period_end, created_at, updated_at, due_at)
    values ('${ACCOUNT}', '7', 'on', '', 1, 'usd', 1, now(), now(), now(), now())`;

const servers = [inject("postgresUrl")].filter(Boolean);

test.skipIf(servers.length === 0)(
  "an upgrade beside running calls gives way to them, and is finished after them",
  async () => {
    const url = await createTestDatabase(inject("postgresUrl"));
    const folder = copyMigrations(LAST_OF_OLD_RELEASE);
    const [caller, watcher] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([caller.connect(), watcher.connect()]);
    await migratePg(drizzlePg(watcher), { migrationsFolder: folder });
    await watcher.query(OLD_FUNCTIONS);
    await caller.query("begin; select 1 from settlements");
    const upgrading = openDatabase({ url });
    const waiting =
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(async () => (await watcher.query(waiting)).rowCount).toBeGreaterThan(0);
    // The upgrade has changed the orders by now, and each side waits for the other.
    await caller.query("select 1 from orders; commit");
    const database = await upgrading;
    expect(await brokenRules(database)).toEqual([]);
    await Promise.all([caller.end(), watcher.end(), database.close()]);
    rmSync(folder, { recursive: true });
  },
  30_000,
);

test("every file's first line names its content, so that its version was raised (npm run db:functions)", () => {
  const files = readFunctionFiles();
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter(({ isStamped }) => !isStamped).map(({ name }) => name)).toEqual([]);
});

test("one snapshot of the schema is kept, the last", () => {
  const snapshots = readdirSync(`${MIGRATIONS}/meta`).filter((name) => name.includes("snapshot"));
  expect(snapshots).toHaveLength(1);
});

describe.each(oldStores())("function files on $name", ({ openOld }) => {
  let oldMigrations: string;
  beforeAll(() => {
    oldMigrations = copyMigrations(LAST_OF_OLD_RELEASE);
  });
  afterAll(() => rmSync(oldMigrations, { recursive: true }));

  test("a database of the old release is upgraded with its orders in order", async () => {
    const old = await openOld(oldMigrations);
    await old.session.exec(OLD_FUNCTIONS);
    await old.session.exec(OLD_ORDER);
    const database = await old.upgrade();
    expect(await brokenRules(database)).toEqual([]);
    const audit = { account: ACCOUNT, keyId: null, action: "t", subject: "old", requestId: "t" };
    const failure = { code: "refunded", message: "" };
    await createOrders(database.orm, { defaultBps: 0, byController: new Map() }).reverse(
      "old",
      failure,
      { revokes: false, audit },
    );
    expect(await brokenRules(database)).toEqual([]);
    const booked = await database.query("select kind, amount::text from payables order by id", []);
    expect(booked).toEqual([
      { kind: "earned", amount: "2000000" },
      { kind: "reversed", amount: "2000000" },
    ]);
    await database.close();
  });

  test("sales of the old release that are older than 35 days have cleared, and later ones are to be asked about", async () => {
    const old = await openOld(oldMigrations);
    await old.session.exec(OLD_FUNCTIONS);
    await old.session.exec(ORDER);
    await old.session.exec(`
      insert into orders select (jsonb_populate_record(o, '{"order_id": "new"}')).* from orders o;
      insert into payables (order_id, owner, receiver, currency, kind, amount, created_at)
      select order_id, account, account, 'usd', 'earned', price, now() - make_interval(days => case order_id when 'old' then 36 else 34 end)
      from orders`);
    const database = await old.upgrade();
    const clearings = await database.query(
      `select order_id as id, currency, available_on < app_now() as "hasCleared", due_at <= app_now() as "isDue" from clearings order by 1`,
      [],
    );
    expect(clearings).toEqual([
      { id: "new", currency: null, hasCleared: null, isDue: true },
      { id: "old", currency: "usd", hasCleared: true, isDue: null },
    ]);
    const [owed] = await database.query("select * from sums_owed($1)", [ACCOUNT]);
    expect(owed).toMatchObject({ amount: 4_000_000n, cleared: 2_000_000n });
    // A replica of the old release may still write sales.
    await database.query(
      "insert into orders select (jsonb_populate_record(o, $1)).* from orders o where order_id = 'old'",
      [JSON.stringify({ order_id: "late", idempotency_key: "late" })],
    );
    await database.query(
      `insert into payables (order_id, owner, receiver, currency, kind, amount, created_at)
       select order_id, account, account, 'usd', 'earned', price, now() from orders where order_id = 'late'`,
      [],
    );
    const late = await database.query(
      `select due_at <= app_now() as "isDue" from clearings where order_id = 'late'`,
      [],
    );
    expect(late).toEqual([{ isDue: true }]);
    await database.close();
  });

  test("after a restore, renewals and sessions end before any start, on tables of the old release, too", async () => {
    const [takeAway = ""] = statementsUnder("docs/operations.md", "## Backups");
    const page = readFileSync("docs/operations.md", "utf8");
    const steps = page.slice(page.indexOf("To replace\nproduction with a copy:"));
    expect(steps.search(/start the service/i)).toBeGreaterThan(steps.indexOf("update renewals"));
    for (const migrations of [oldMigrations, MIGRATIONS]) {
      const { session } = await openOld(migrations);
      const rowsOf = async (sql: string) => (await session.query(sql, [])).rows;
      // Rows without what they refer to.
      await session.exec(`set session_replication_role = replica;
        insert into sessions (hash, account, method, created_at, seen_at, expires_at)
          values ('', '${ACCOUNT}', 'wallet', now(), now(), now() + interval '1 day')`);
      if (migrations === MIGRATIONS) await session.exec(RENEWAL);
      await session.exec(takeAway);
      expect(await rowsOf("select 1 from sessions")).toEqual([]);
      if (migrations === MIGRATIONS) {
        expect(await rowsOf("select state, due_at from renewals")).toEqual([
          { state: "off", due_at: null },
        ]);
      }
    }
  });

  test("a new database never changes or removes a transfer", async () => {
    const { session } = await openOld(MIGRATIONS);
    await applyFunctionFiles(session);
    await session.exec(ORDER);
    for (const change of ["update transfers set amount = 1", "delete from transfers"])
      await expect(session.query(change, [])).rejects.toThrow("transfers is append-only");
  });

  test("a newer file replaces an older one, and an older replica does not take it back", async () => {
    const { session } = await openOld(MIGRATIONS);
    const answers = (value: number) => `create or replace function answer() returns int
      language sql as $$ select ${value} $$;`;
    const fileOf = (version: number, sql: string) => {
      const { content } = parseFunctionFile("answer.sql", sql);
      return parseFunctionFile("answer.sql", firstLineOf({ version, content }) + sql);
    };
    const [older, newer] = [fileOf(1, answers(1)), fileOf(2, answers(2))];
    const read = async () => (await session.query("select answer()", [])).rows;
    expect(await applyFunctionFiles(session, [older])).toEqual(["answer.sql"]);
    expect(await applyFunctionFiles(session, [older])).toEqual([]);
    expect(await applyFunctionFiles(session, [newer])).toEqual(["answer.sql"]);
    expect(await applyFunctionFiles(session, [older])).toEqual([]);
    expect(await read()).toEqual([{ answer: 2 }]);
    // One broken file, and none of them is applied.
    const broken = parseFunctionFile("broken.sql", "select 1 from nowhere;");
    await expect(applyFunctionFiles(session, [fileOf(3, answers(3)), broken])).rejects.toThrow();
    expect(await read()).toEqual([{ answer: 2 }]);
    expect(await applyFunctionFiles(session, [fileOf(3, answers(3))])).toEqual(["answer.sql"]);
  });
});

test.each(servers)("two replicas that start at once both find every file", async (server) => {
  const url = await createTestDatabase(server);
  const replicas = await Promise.all([1, 2].map(() => openDatabase({ url, poolSize: 2 })));
  for (const replica of replicas) {
    const rows = await replica.query("select name from function_files order by name", []);
    expect(rows).toEqual(readFunctionFiles().map(({ name }) => ({ name })));
    await replica.close();
  }
});
