import {
  DEFAULT_PAGE_SIZE,
  MAX_PAGE_SIZE,
  type PageQuery,
  PaymentsError,
} from "@turnpike/payments/protocol";
import { and, type Column, count, desc, lt, or, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Page } from "@/lib/domain/records.ts";
import type { Orm } from "./client.ts";

type Listing<Row> = {
  orm: Orm;
  from: PgTable;
  where: SQL | undefined;
  /** Newest first by these two; the second makes the order total. */
  createdAt: Column;
  id: Column;
  query: PageQuery;
  /** Reads the rows of one page. */
  read: (page: {
    where: SQL | undefined;
    orderBy: SQL[];
    limit: number;
    offset: number;
  }) => Promise<Row[]>;
  cursorOf: (row: Row) => { createdAt: Date; id: string };
};

/** One page of a table, by cursor or by page number, newest first. */
export async function readPage<Row>(listing: Listing<Row>): Promise<Page<Row>> {
  const { orm, from, where, createdAt, id, query } = listing;
  const limit = Math.min(
    query.limit ?? query.pageSize ?? query.offset ?? DEFAULT_PAGE_SIZE,
    MAX_PAGE_SIZE,
  );
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const from_ =
    after &&
    or(
      lt(createdAt, after.createdAt),
      and(sql`${createdAt} = ${after.createdAt}`, lt(id, after.id)),
    );
  const offset = after || !query.page ? 0 : (query.page - 1) * limit;
  const rows = await listing.read({
    where: and(where, from_),
    orderBy: [desc(createdAt), desc(id)],
    limit: limit + 1,
    offset,
  });
  const [total] = await orm.select({ n: count() }).from(from).where(where);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last ? writeCursor(listing.cursorOf(last)) : undefined;
  return { items, nextCursor, total: total?.n ?? 0 };
}

const writeCursor = ({ createdAt, id }: { createdAt: Date; id: string }) =>
  Buffer.from(`${createdAt.toISOString()} ${id}`).toString("base64url");

function readCursor(cursor: string): { createdAt: Date; id: string } {
  const [instant = "", id = ""] = Buffer.from(cursor, "base64url").toString().split(" ");
  const createdAt = new Date(instant);
  // Only what this service could have written: no other spelling, no instant or text no column holds.
  const isOurs =
    /^\d{4}-/.test(instant) &&
    !Number.isNaN(createdAt.getTime()) &&
    !id.includes("\0") &&
    writeCursor({ createdAt, id }) === cursor;
  if (isOurs) return { createdAt, id };
  throw foreignCursor();
}

/** The refusal of a cursor this service did not give. */
export const foreignCursor = (): PaymentsError =>
  new PaymentsError("invalid_input", "The cursor is not one this service gave.", {
    details: [{ path: "cursor", message: "Use `nextCursor` of the page before, or leave it out." }],
  });
