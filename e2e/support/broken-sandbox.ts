import pg from "pg";
import { startPostgres } from "../../lib/adapters/db/testing/postgres-cluster.ts";
import { type BootedSandbox, bootSandbox } from "./boot-sandbox.ts";
import { test } from "./test.ts";

/** The tables that sign-in and sessions need; all others can be removed. */
const KEPT = ["accounts", "clock", "passkeys", "sessions", "sign_in_challenges"];

type BreakableSandbox = BootedSandbox & {
  /** Removes every table that pages read, so that every read throws. */
  breakReads: () => Promise<void>;
  /** Restores them. */
  mendReads: () => Promise<void>;
};

/**
 * Boots a sandbox for the tests of a `describe` block, on a separate Postgres whose reads can be made to fail. Answers where
 * it is found while they run.
 */
export function breakableSandbox(): () => BreakableSandbox {
  let sandbox: BreakableSandbox;
  // Failed reads are logged to the console too.
  test.use({ mustNotComplain: false });
  test.beforeAll(async () => {
    test.setTimeout(180_000);
    sandbox = await bootBreakableSandbox();
  });
  test.afterAll(() => sandbox?.stop());
  return () => sandbox;
}

async function bootBreakableSandbox(): Promise<BreakableSandbox> {
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
