import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { findChangedFiles, type Session } from "../function-files.ts";

// From the working folder, which is the repository's: a bundler moves this module, not the SQL.
export const MIGRATIONS = resolve("lib/adapters/db/migrations");

/** How far a database is: `pending` migrations are applied by the next start, `newer` ones are of a later release. */
export type SchemaState = { isNew: boolean; pending: number; newer: number };

type Query = <Row>(text: string, values: unknown[]) => Promise<Row[]>;

/** Reads what was applied to a Postgres, and applies nothing. */
export async function readSchemaState(query: Query): Promise<SchemaState> {
  const [found] = await query<{ at: string | null }>(
    "select to_regclass('drizzle.__drizzle_migrations') as at",
    [],
  );
  const { entries } = JSON.parse(readFileSync(join(MIGRATIONS, "meta/_journal.json"), "utf8")) as {
    entries: { when: number }[];
  };
  if (!found?.at) return { isNew: true, pending: entries.length, newer: 0 };
  const newest = Math.max(...entries.map(({ when }) => when));
  const [{ applied, newer } = { applied: 0, newer: 0 }] = await query<{
    applied: number;
    newer: number;
  }>(
    `select (count(*) filter (where created_at <= $1))::int as applied, (count(*) filter (where created_at > $1))::int as newer
    from drizzle.__drizzle_migrations`,
    [newest],
  );
  return { isNew: false, pending: Math.max(entries.length - applied, 0), newer };
}

/**
 * Refuses a database that this release would have to change before it can use it.
 *
 * @throws Error that says what to do.
 */
export async function refuseOldSchema(session: Session): Promise<void> {
  const query: Query = async <Row>(text: string, values: unknown[]) =>
    (await session.query(text, values)).rows as Row[];
  const { isNew, pending } = await readSchemaState(query);
  if (isNew) {
    throw new Error(
      "The database of DATABASE_URL has no tables of Turnpike. Correct DATABASE_URL, or start the service first: it creates them.",
    );
  }
  if (pending === 0 && (await findChangedFiles(session)).length === 0) return;
  throw new Error(
    "The database is of an earlier release than this tool. Use the tool of the release that runs, or upgrade the service first.",
  );
}
