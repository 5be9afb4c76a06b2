import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { inject } from "vitest";
import { inFull } from "@/lib/testing/in-full.ts";
import { type Database, openDatabase } from "../client.ts";
import { query } from "./postgres-cluster.ts";

export type Store = { name: string; open: () => Promise<Database> };

/** Every store tests run on: the embedded database always, Postgres where the machine has it. */
export function testStores(): Store[] {
  const postgres = inject("postgresSocket");
  return [
    { name: "PGlite", open: openTestPglite },
    ...(postgres ? [{ name: "Postgres", open: () => openTestPostgres(postgres) }] : []),
  ];
}

/**
 * The stores that tests of rules run on. The rules are one SQL on every store, so `npm test` runs them on one, Postgres
 * where the machine has it; the proof row `stores` runs them on all.
 */
export const ruleStores = (): Store[] => inFull(testStores(), testStores().slice(-1));

/** A database for tests of what is above the store: the first of `ruleStores`. An embedded one costs a second to open. */
export const openRuleStore = (): Promise<Database> => (ruleStores()[0] as Store).open();

/** A separate embedded database, migrated, in memory. */
export const openTestPglite = async (): Promise<Database> =>
  openDatabase({ image: await readPgliteImage() });

/** A migrated embedded database: to make one anew takes seconds of processor time. */
export const readPgliteImage = async (): Promise<Blob> =>
  new Blob([await readFile(inject("pgliteImage"))]);

/** A separate database on the tests' Postgres, migrated. It is gone once it is closed: it may lie in memory. */
export async function openTestPostgres(server: string, poolSize = 8): Promise<Database> {
  const url = await createTestDatabase(server, inject("postgresTemplate"));
  const database = await openDatabase({ url, poolSize });
  return {
    ...database,
    async close() {
      await database.close();
      await query(server, `drop database "${basename(url)}" with (force)`);
    },
  };
}

/** The address of a new database on the tests' Postgres: empty, or a copy of `template`. */
export async function createTestDatabase(server: string, template = "template1"): Promise<string> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  // Files are copied in less time than the pages of a database are written and logged.
  await query(server, `create database "${name}" template "${template}" strategy file_copy`);
  return server.replace(/postgres$/, name);
}

/** The rules a database breaks; empty when the books are in order. */
export async function brokenRules(database: Database): Promise<string[]> {
  const rows = await database.query<{ rule: string; broken: number }>(
    "select rule, broken from broken_invariants()",
    [],
  );
  return rows
    .filter(({ broken }) => Number(broken) > 0)
    .map(({ rule, broken }) => `${rule}: ${broken}`);
}

/** The same of the database at an address. */
export async function brokenRulesAt(url: string): Promise<string[]> {
  const database = await openDatabase({ url, poolSize: 1 });
  return brokenRules(database).finally(() => database.close());
}
