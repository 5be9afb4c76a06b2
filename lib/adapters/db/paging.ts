import { type PageQuery, PaymentsError } from "@turnpike/payments/protocol";
import { and, type Column, desc, getTableColumns, lt, or, type SQL, sql } from "drizzle-orm";
import type { PgSelect, PgTable } from "drizzle-orm/pg-core";
import { pageSizeOf } from "@/lib/domain/page-answer.ts";
import type { Page } from "@/lib/domain/records.ts";
import type { Orm } from "./client.ts";

type Extent = { where: SQL | undefined; orderBy: SQL[]; limit: number; offset: number };

type Listing<Table extends PgTable, Row> = {
  orm: Orm;
  from: Table;
  where: SQL | undefined;
  /** Newest first by these two columns, which the rows have too; the second makes the order total. */
  createdAt?: keyof Table["$inferSelect"] & string;
  id: keyof Table["$inferSelect"] & string;
  query: PageQuery;
  /** Reads the rows of one page; those of the table by default. */
  read?: (page: Extent) => PromiseLike<Row[]>;
};

/** One page of a table, by cursor or by page number, newest first. */
export async function readPage<Table extends PgTable, Row = Table["$inferSelect"]>(
  listing: Listing<Table, Row>,
): Promise<Page<Row>> {
  const { orm, from, where, query } = listing;
  const names = { createdAt: listing.createdAt ?? "createdAt", id: listing.id };
  const columns: Record<string, Column> = getTableColumns(from);
  const createdAt = columns[names.createdAt] as Column;
  const id = columns[names.id] as Column;
  const readRows = (page: Extent) => inPage(orm.select().from<PgTable>(from).$dynamic(), page);
  const read = listing.read ?? (readRows as unknown as NonNullable<typeof listing.read>);
  const { limit, offset } = extentOf(query);
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const from_ =
    after &&
    or(
      lt(createdAt, after.createdAt),
      and(sql`${createdAt} = ${after.createdAt}`, lt(id, after.id)),
    );
  const rows = await read({
    where: and(where, from_),
    orderBy: [desc(createdAt), desc(id)],
    limit: limit + 1,
    offset,
  });
  const cursorOf = (row: Row) => {
    const values = row as Record<string, unknown>;
    return writeCursor({ createdAt: values[names.createdAt] as Date, id: `${values[names.id]}` });
  };
  return pageOf(rows, { limit, total: await orm.$count(from, where), cursorOf });
}

/** How many rows a page has, and how many come before it; a cursor replaces the page number. */
export function extentOf(query: PageQuery): { limit: number; offset: number } {
  const limit = pageSizeOf(query);
  return { limit, offset: query.cursor || !query.page ? 0 : (query.page - 1) * limit };
}

/** A page of rows that were read up to one past its limit. */
export function pageOf<Row>(
  rows: Row[],
  page: {
    limit: number;
    total: number | undefined;
    cursorOf: (last: Row) => string;
  },
): Page<Row> {
  const items = rows.slice(0, page.limit);
  const last = items.at(-1);
  const nextCursor = rows.length > page.limit && last ? page.cursorOf(last) : undefined;
  return { items, nextCursor, total: page.total ?? 0 };
}

/** Limits a query to a page. */
export const inPage = <Query extends PgSelect>(query: Query, page: Extent): Query =>
  query
    .where(page.where)
    .orderBy(...page.orderBy)
    .limit(page.limit)
    .offset(page.offset);

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
