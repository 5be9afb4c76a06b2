import pg from "pg";
import { startPostgres } from "../../lib/adapters/db/testing/postgres-cluster.ts";
import { type BootedSandbox, bootSandbox } from "./boot-sandbox.ts";

/** What signing in and knowing who asks needs; every other table can be taken away. */
const KEPT = ["accounts", "clock", "passkeys", "sessions", "sign_in_challenges"];

export type BreakableSandbox = BootedSandbox & {
  /** Takes every table away that pages read; from then on each read throws. */
  breakReads: () => Promise<void>;
  /** Puts them back. */
  mendReads: () => Promise<void>;
};

/** A sandbox on a Postgres of its own, whose reads can be made to fail. */
export async function bootBreakableSandbox(): Promise<BreakableSandbox> {
  const cluster = await startPostgres();
  if (!cluster) throw new Error("There are no Postgres binaries on this machine.");
  const databaseUrl = await cluster.createDatabase("breakable");
  try {
    const sandbox = await bootSandbox({ databaseUrl });
    return {
      ...sandbox,
      breakReads: () => renameTables(databaseUrl, (name) => `gone_${name}`),
      mendReads: () => renameTables(databaseUrl, (name) => name.replace("gone_", "")),
      async stop() {
        await sandbox.stop();
        await cluster.stop();
      },
    };
  } catch (cause) {
    await cluster.stop();
    throw cause;
  }
}

async function renameTables(databaseUrl: string, renamed: (name: string) => string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' and tablename <> all($1)",
      [KEPT],
    );
    for (const { name } of rows)
      await client.query(`alter table "${name}" rename to "${renamed(name)}"`);
  } finally {
    await client.end();
  }
}
