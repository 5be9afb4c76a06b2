import { inject } from "vitest";
import type { Database } from "../client.ts";
import { openTestPglite, openTestPostgres } from "./stores.ts";

/** What work read: rows of each table, and how often it called each function. */
export type Reads = {
  rowsOf: (table: string) => number;
  callsOf: (name: string) => number;
};

// The statistics count from when they were last sent, which is not within a transaction.
const COUNTS = `
  select relname as name, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as n from pg_stat_xact_user_tables
  union all select funcname || '()', calls from pg_stat_xact_user_functions`;

/** A database with one connection, as `countReads` needs it: Postgres where the machine has it. */
export const openOneConnection = (): Promise<Database> => {
  const postgres = inject("postgresSocket");
  return postgres ? openTestPostgres(postgres, 1) : openTestPglite();
};

/** Counts what work reads on the database's one connection, and takes back what it writes. */
export async function countReads(database: Database, work: () => Promise<unknown>): Promise<Reads> {
  const count = async () => {
    const rows = await database.query<{ name: string; n: number }>(COUNTS, []);
    return new Map(rows.map(({ name, n }) => [name, n]));
  };
  await database.query("begin", []);
  await database.query("set local track_functions = 'all'", []);
  const before = await count();
  await work();
  const after = await count();
  await database.query("rollback", []);
  const of = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  return { rowsOf: of, callsOf: (name) => of(`${name}()`) };
}
