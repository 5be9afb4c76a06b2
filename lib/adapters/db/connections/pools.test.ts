import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Database, rowsOf } from "../client.ts";
import { readDatabaseFault } from "../faults.ts";
import { openTestPostgres } from "../testing/stores.ts";

const server = inject("postgresUrl");
/** Skipped, and told so, on a machine without Postgres. */
const onPostgres = test.skipIf(!server);

let database: Database;

beforeAll(async () => {
  if (!server) return;
  database = await openTestPostgres(server);
  // A sequence is not rolled back with the transaction that it fails.
  await database.query("create sequence tries", []);
  await database.query(
    `create function fail_until(n int, state text) returns bigint language plpgsql as $$
       begin
         if nextval('tries') < n then raise exception 'injected' using errcode = state; end if;
         return currval('tries');
       end $$`,
    [],
  );
});
afterAll(() => database?.close());

const restart = () => database.query("alter sequence tries restart", []);

onPostgres.each(["40001", "40P01", "55P03"])(
  "what Postgres rolled back for another's sake (%s) is run again, as a statement and as a transaction",
  async (state) => {
    const money = database.for("money");
    await restart();
    expect(await money.query("select fail_until(3, $1) as n", [state])).toEqual([{ n: 3 }]);
    await restart();
    const rows = await money.orm.transaction((inside) =>
      rowsOf(inside as never, sql`select fail_until(3, ${state}) as n`),
    );
    expect(rows).toHaveLength(1);
    await restart();
    await expect(money.query("select fail_until(99, $1)", [state])).rejects.toThrow("injected");
  },
);

onPostgres("what the database cannot write is told until the same statement succeeds", async () => {
  const { trouble } = database;
  const write = "select fail_until(2, '53100') as n";
  await restart();
  await expect(database.query(write, [])).rejects.toThrow("injected");
  await database.query("select 1", []);
  expect(trouble()).toBe("writes fail");
  await database.query(write, []);
  expect(trouble()).toBe(null);
});

onPostgres(
  "a database that became read-only is told, as it answers all that health asks of it",
  async () => {
    const money = database.for("money");
    const write = "insert into accounts (address, owner, created_at) values ('0x1', '0x1', now())";
    const refused = money.orm.transaction(async (inside) => {
      await inside.execute(sql`set transaction read only`);
      await inside.execute(sql.raw(write));
    });
    await expect(refused).rejects.toThrow();
    await database.query("select 1", []);
    expect(database.trouble()).toBe("writes fail");
    await money.orm.transaction((inside) => rowsOf(inside as never, sql`select 1`));
    expect(database.trouble()).toBe(null);
  },
);

test.each(["EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN", "28P01"])(
  "a server that cannot be reached (%s) is away, and no defect of ours",
  (code) => {
    const cause = Object.assign(new Error("connect failed"), { code });
    expect(readDatabaseFault(new Error("Failed query", { cause }))).toBe("down");
  },
);

const WORKLOADS = ["money", "reads", "background"] as const;
/** More than the largest pool has connections. */
const CROWD = 20;

onPostgres.each(WORKLOADS)(
  "each kind of work has its own connections: none waits for %s",
  async (busy) => {
    const waiting: Promise<unknown>[] = [];
    let ended = 0;
    await database.for(busy).orm.transaction(async (inside) => {
      await inside.execute(sql`select pg_advisory_xact_lock(1)`);
      for (let n = 0; n < CROWD; n += 1) {
        const wait = database.for(busy).query("select pg_advisory_xact_lock(1)", []);
        waiting.push(wait.finally(() => ended++).catch(() => {}));
      }
      // They would wait for the crowd, which waits for this transaction.
      for (const other of WORKLOADS.filter((each) => each !== busy)) {
        await database.for(other).query("select 1", []);
      }
      expect(ended).toBe(0);
    });
    await Promise.all(waiting);
  },
);

onPostgres(
  "a read is planned for the account that asks, however often others asked the same",
  async () => {
    const reads = database.for("reads");
    const text = "select count(*)::int as n from accounts where owner = $1";
    for (let n = 0; n < 12; n += 1) await reads.query(text, [`owner ${n}`]);
    const used = `select sum(generic_plans)::int as generic, sum(custom_plans)::int > 5 as custom
    from pg_prepared_statements where statement = $1`;
    expect(await reads.query(used, [text])).toEqual([{ generic: 0, custom: true }]);
  },
);

onPostgres(
  "the server ends a session that this side forgot, but none that waits in a pool",
  async () => {
    for (const workload of ["money", "reads", "background"] as const) {
      const rows = await database.for(workload).query("show idle_session_timeout", []);
      expect(rows, workload).toEqual([{ idle_session_timeout: "30s" }]);
    }
  },
);

onPostgres.each(["postgresUrl", "postgresSocket"] as const)(
  "a process that was frozen for longer than its sessions last runs its next statements on new ones (%s)",
  async (address) => {
    const frozen = await openTestPostgres(inject(address));
    const money = frozen.for("money");
    const connections = 4;
    const shorten = () =>
      money.query("select pg_sleep(0.05), set_config('idle_session_timeout', '100ms', false)", []);
    await Promise.all(Array.from({ length: connections }, shorten));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
    const asked = Array.from({ length: connections }, (_, n) =>
      money.query("select $1::int as n", [n]),
    );
    expect((await Promise.all(asked)).flat()).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]);

    await money.query("select set_config('idle_session_timeout', '100ms', false)", []);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
    const inside = money.orm.transaction((each) => rowsOf(each as never, sql`select 1 as n`));
    expect(await inside).toEqual([{ n: 1 }]);
    await frozen.close();
  },
);
