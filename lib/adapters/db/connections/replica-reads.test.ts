import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { type Database, openDatabase, rowsOf } from "../client.ts";
import { hasBaseBackup, query } from "../testing/postgres-cluster.ts";
import { type PostgresPair, startPostgresPair } from "../testing/postgres-pair.ts";
import { type RunStatement, readFromReplica } from "./replica-reads.ts";

// Two servers: a standby that streams cannot be a database beside others.
const onPair = test.skipIf(!inject("postgresUrl") || !hasBaseBackup());
let pair: PostgresPair;
let database: Database;
let reads: Database;
const onReplicaChange = vi.fn();

beforeAll(async () => {
  pair = (await startPostgresPair("replica")) as PostgresPair;
  const [url, replicaUrl] = [pair.primaryUrl(), pair.standbyUrl()];
  database = await openDatabase({ url, replicaUrl, poolSize: 2, onReplicaChange });
  reads = database.for("reads");
  await database.query("create table notes (n int primary key)", []);
}, 60_000);
afterAll(async () => {
  await database.close();
  await pair.stop();
});

const COUNT = "select pg_is_in_recovery() as on_replica, count(*) as n from notes";
const read = async () => (await reads.query<{ on_replica: boolean; n: number }>(COUNT, []))[0];
const write = (n: number) => database.for("money").query("insert into notes values ($1)", [n]);
const onReplica = () => read().then((row) => row?.on_replica);

onPair("a read runs on the replica, and so does one of the query builder", async () => {
  await expect.poll(onReplica).toBe(true);
  const rows = await rowsOf(reads.orm, sql`select pg_is_in_recovery() as on_replica`);
  expect(rows).toEqual([{ on_replica: true }]);
});

onPair("a replica that is behind serves no read: each write is seen at once", async () => {
  await query(pair.standbyUrl(), "select pg_wal_replay_pause()");
  await write(1);
  expect(await read()).toEqual({ on_replica: false, n: 1 });
  await query(pair.standbyUrl(), "select pg_wal_replay_resume()");
  await expect.poll(read).toEqual({ on_replica: true, n: 1 });
});

onPair("payments, transactions and statements that write run on the primary", async () => {
  const where = "select pg_is_in_recovery() as on_replica";
  expect(await database.for("money").query(where, [])).toEqual([{ on_replica: false }]);
  const inside = await reads.orm.transaction((tx) => rowsOf(tx as never, sql.raw(where)));
  expect(inside).toEqual([{ on_replica: false }]);
  await reads.query("insert into notes values (2)", []);
  await expect.poll(read).toEqual({ on_replica: true, n: 2 });
});

onPair("a fault of the statement is the caller's, and not tried a second time", async () => {
  await expect(reads.query("select 1 / 0", [])).rejects.toThrow("division by zero");
  expect(await onReplica()).toBe(true);
});

onPair.each([
  ["a database that is not there", (url: string) => url.replace(/replica$/, "nope"), "nope"],
  ["TLS that it does not speak", (url: string) => `${url}?sslmode=require`, "SSL"],
])("a replica with %s serves no read, and that is told", async (_what, wrong, words) => {
  const onChange = vi.fn();
  const replicaUrl = wrong(pair.standbyUrl());
  const opened = await openDatabase({
    url: pair.primaryUrl(),
    replicaUrl,
    onReplicaChange: onChange,
  });
  const rows = await opened.for("reads").query(COUNT, []).catch(String);
  await opened.close();
  expect(rows).toMatchObject([{ on_replica: false }]);
  expect(onChange.mock.calls).toEqual([
    [expect.objectContaining({ message: expect.stringContaining(words) })],
  ]);
});

onPair("another database of the same standby serves no read, and none opens with it", async () => {
  const [url, otherUrl] = [pair.primaryUrl(), pair.standbyUrl().replace(/replica$/, "other")];
  await query(url, "create database other");
  await query(url.replace(/replica$/, "other"), "create table notes (n int primary key)");
  await expect.poll(() => query(otherUrl, COUNT).catch(() => null)).toHaveLength(1);
  const pools = [url, otherUrl].map((connectionString) => new pg.Pool({ connectionString }));
  const [primary, replica] = pools.map((pool) => pool.query.bind(pool) as RunStatement);
  const run = readFromReplica({ primary, replica } as Parameters<typeof readFromReplica>[0]);
  const { rows } = (await run(COUNT)) as { rows: unknown[] };
  await Promise.all(pools.map((pool) => pool.end()));
  expect(rows).toMatchObject([{ on_replica: false }]);
  await expect(openDatabase({ url, replicaUrl: otherUrl })).rejects.toThrow(
    "DATABASE_REPLICA_URL names another database",
  );
});

onPair(
  "reads go on while the replica is away, and return to it",
  async () => {
    await pair.loseStandby();
    await write(3);
    expect(await read()).toEqual({ on_replica: false, n: 3 });
    expect(await read()).toEqual({ on_replica: false, n: 3 });
    expect(database.trouble()).toBeNull();
    expect(onReplicaChange.mock.calls).toEqual([[expect.any(Error)]]);
    await pair.rebuild();
    expect(await onReplica()).toBe(false);
    const later = performance.now() + 31_000;
    const clock = vi.spyOn(performance, "now").mockReturnValue(later);
    await expect
      .poll(read, { timeout: 5_000 })
      .toEqual({ on_replica: true, n: 3 })
      .finally(() => clock.mockRestore());
    expect(onReplicaChange.mock.calls).toEqual([[expect.any(Error)], [null]]);
  },
  60_000,
);
