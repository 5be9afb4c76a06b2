import { type PageQuery, PaymentsError } from "@turnpike/payments/protocol";
import { and, type Column, count, desc, lt, or, type SQL, sql } from "drizzle-orm";
import type { PgSelect, PgTable } from "drizzle-orm/pg-core";
import { pageSizeOf } from "@/lib/domain/page-answer.ts";
import type { Page } from "@/lib/domain/records.ts";
import type { Orm } from "./client.ts";

type Extent = { where: SQL | undefined; orderBy: SQL[]; limit: number; offset: number };

type Listing<Row> = {
  orm: Orm;
  from: PgTable;
  where: SQL | undefined;
  /** Newest first by these two; the second makes the order total. */
  createdAt: Column;
  id: Column;
  query: PageQuery;
  /** Reads the rows of one page. */
  read: (page: Extent) => PromiseLike<Row[]>;
  cursorOf: (row: Row) => { createdAt: Date; id: string };
};

/** One page of a table, by cursor or by page number, newest first. */
export async function readPage<Row>(listing: Listing<Row>): Promise<Page<Row>> {
  const { orm, from, where, createdAt, id, query } = listing;
  const { limit, offset } = extentOf(query);
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const from_ =
    after &&
    or(
      lt(createdAt, after.createdAt),
      and(sql`${createdAt} = ${after.createdAt}`, lt(id, after.id)),
    );
  const rows = await listing.read({
    where: and(where, from_),
    orderBy: [desc(createdAt), desc(id)],
    limit: limit + 1,
    offset,
  });
  const [total] = await orm.select({ n: count() }).from(from).where(where);
  return pageOf(rows, {
    limit,
    total: total?.n,
    cursorOf: (row) => writeCursor(listing.cursorOf(row)),
  });
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
