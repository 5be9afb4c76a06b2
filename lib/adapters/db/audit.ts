import { sql } from "drizzle-orm";
import type { AuditNote } from "@/lib/domain/records.ts";
import type { Orm } from "./client.ts";
import { audit } from "./schema.ts";

/** The database's clock as a value to write. */
export const databaseNow = sql<Date>`app_now()`;

/** Runs a change and the note about it in one transaction. */
export function audited<T>(
  orm: Orm,
  note: AuditNote,
  change: (transaction: Orm) => Promise<T>,
): Promise<T> {
  return orm.transaction(async (transaction) => {
    const result = await change(transaction as unknown as Orm);
    await transaction.insert(audit).values({ ...note, createdAt: databaseNow });
    return result;
  });
}
