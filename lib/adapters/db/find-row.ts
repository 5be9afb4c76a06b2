import type { SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Orm } from "./client.ts";

/** The row of a table that meets a condition; null without one. */
export async function findRow<Table extends PgTable>(
  orm: Orm,
  table: Table,
  where: SQL | undefined,
): Promise<Table["$inferSelect"] | null> {
  const [row] = await orm.select().from<PgTable>(table).where(where);
  return row ?? null;
}
