import { and, desc, eq, gte, like, lt, or, sql } from "drizzle-orm";
import type { AuditNote, AuditTrail } from "@/lib/domain/records.ts";
import { inTransaction, type Orm, orRolledBack, RolledBack } from "./client.ts";
import { extentOf, fitting, foreignCursor, inPage, pageOf } from "./paging.ts";
import { matches } from "./rows.ts";
import { audit } from "./schema.ts";

/** The database's clock as a value to write. */
export const databaseNow = sql<Date>`app_now()`;

/** Runs a change and the note about it in one transaction. */
export function audited<T>(
  orm: Orm,
  note: AuditNote,
  change: (transaction: Orm) => Promise<T>,
): Promise<T> {
  return inTransaction(orm, async (transaction) => {
    const result = await change(transaction);
    await transaction.insert(audit).values({ ...note, createdAt: databaseNow });
    return result;
  });
}

/** The same for a change that may find nothing to do: then it answers false, and nothing is written. */
export const auditedIf = (
  orm: Orm,
  note: AuditNote,
  change: (transaction: Orm) => Promise<boolean>,
): Promise<boolean> =>
  orRolledBack(
    audited(orm, note, async (transaction) => {
      if (await change(transaction)) return true;
      throw new RolledBack(false);
    }),
  );

/** Lets the changes of one account that take this first wait for each other: each sees those before it. */
export const inTurn = (transaction: Orm, account: string) =>
  transaction.execute(sql`select from accounts where address = ${account} for no key update`);

/** What accounts changed, on SQL. */
export const createAuditTrail = (orm: Orm): AuditTrail => ({
  write: (note) => audited(orm, note, async () => {}),
  async list(account, { action, keyId, since, until, ...query }) {
    const where = and(
      matches(audit, { account }, { keyId }),
      action === undefined
        ? undefined
        : or(eq(audit.action, action), like(audit.action, `${action}.%`)),
      since && gte(audit.createdAt, since),
      until && lt(audit.createdAt, until),
    );
    const page = {
      where: and(where, query.cursor === undefined ? undefined : lt(audit.id, idOf(query.cursor))),
      orderBy: [desc(audit.id)],
      ...extentOf(query),
    };
    // Notes of earlier releases have whole members.
    const bytes = sql`octet_length(${audit}::text)`;
    const limit = await fitting({ orm, from: audit, bytes, query }, page);
    const rows = await inPage(orm.select().from(audit).$dynamic(), { ...page, limit: limit + 1 });
    const total = await orm.$count(audit, where);
    const records = rows.map(({ address, before, after, ...row }) => ({
      ...row,
      ...(address && { address }),
      ...(before && { before }),
      ...(after && { after }),
    }));
    return pageOf(records, { limit, total, cursorOf: ({ id }) => String(id) });
  },
});

/** A cursor is the id of a page's last note: notes are numbered as they are written. */
function idOf(cursor: string): number {
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor);
  throw foreignCursor();
}
