import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres";
import { migrate as migratePg } from "drizzle-orm/node-postgres/migrator";
import { drizzle as drizzlePglite } from "drizzle-orm/pglite";
import { migrate as migratePglite } from "drizzle-orm/pglite/migrator";
import pg from "pg";
import { inject } from "vitest";
import { inFull } from "@/lib/testing/in-full.ts";
import { type Database, openDatabase, upgradeEmbedded } from "../client.ts";
import type { Session } from "../function-files.ts";
import { createTestDatabase } from "./stores.ts";

export const MIGRATIONS = "lib/adapters/db/migrations";

/** A database with some migrations and without functions, until a start upgrades it. */
type OldDatabase = { session: Session; upgrade: () => Promise<Database> };
type OldStore = { name: string; openOld: (migrations: string) => Promise<OldDatabase> };

/** As `ruleStores`: one, or in full each. */
export function oldStores(): OldStore[] {
  const postgres = inject("postgresUrl");
  const all: OldStore[] = [
    { name: "PGlite", openOld: openOldPglite },
    ...(postgres ? [{ name: "Postgres", openOld: openOldPostgres }] : []),
  ];
  return inFull(all, all.slice(-1));
}

/** A folder with the migrations up to one, for `openOld`. */
export function copyMigrations(last: number): string {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-migrations-"));
  cpSync(MIGRATIONS, folder, { recursive: true });
  const path = join(folder, "meta/_journal.json");
  const journal = JSON.parse(readFileSync(path, "utf8")) as { entries: { idx: number }[] };
  journal.entries = journal.entries.filter(({ idx }) => idx <= last);
  writeFileSync(path, JSON.stringify(journal));
  return folder;
}

async function openOldPglite(migrationsFolder: string): Promise<OldDatabase> {
  const client = await PGlite.create();
  await migratePglite(drizzlePglite(client), { migrationsFolder });
  return {
    session: client,
    async upgrade() {
      await upgradeEmbedded(client);
      const image = await client.dumpDataDir("none");
      await client.close();
      return openDatabase({ image });
    },
  };
}

async function openOldPostgres(migrationsFolder: string): Promise<OldDatabase> {
  const url = await createTestDatabase(inject("postgresUrl"));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await migratePg(drizzlePg(client), { migrationsFolder });
  return {
    session: { exec: (sql) => client.query(sql), query: (text, rows) => client.query(text, rows) },
    async upgrade() {
      await client.end();
      return openDatabase({ url, poolSize: 4 });
    },
  };
}
