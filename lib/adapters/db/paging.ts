import { type PageQuery, PaymentsError } from "@turnpike/payments/protocol";
import { and, type Column, desc, eq, getTableColumns, lt, or, type SQL, sql } from "drizzle-orm";
import type { PgSelect, PgTable } from "drizzle-orm/pg-core";
import { pageSizeOf } from "@/lib/domain/page-answer.ts";
import type { Page } from "@/lib/domain/records.ts";
import { type Orm, rowsOf } from "./client.ts";
import { readValue } from "./rows.ts";

/** Rows of one page together. What is read and written of them takes the thread of paid calls. */
const MAX_PAGE_BYTES = 500_000;

/** The same of a page by its number, which can't end early: the next number would begin after what it left out. */
const MAX_NUMBERED_BYTES = 2_000_000;

type Extent = { where: SQL | undefined; orderBy: SQL[]; limit: number; offset: number };

type Listing<Table extends PgTable, Row> = {
  orm: Orm;
  from: Table;
  where: SQL | undefined;
  /** Newest first by these two columns, which the rows have too; the second makes the order total. */
  createdAt?: keyof Table["$inferSelect"] & string;
  id: keyof Table["$inferSelect"] & string;
  query: PageQuery;
  /** Rows are counted no further than this, where an account can have any number. */
  countedUpTo?: number;
  /** The size of a row, where rows can be large. */
  bytes?: SQL;
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
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const page = {
    where: and(where, after && isAfter(after, createdAt, id)),
    orderBy: [desc(createdAt), desc(id)],
    ...extentOf(query),
  };
  const limit = listing.bytes
    ? await fitting({ orm, from, bytes: listing.bytes, query }, page)
    : page.limit;
  const rows = await read({ ...page, limit: limit + 1 });
  const last = rows.length > limit ? (rows[limit - 1] as Record<string, unknown>) : undefined;
  const [total, nextCursor] = await Promise.all([
    countRows(listing),
    last &&
      exactly(orm, { from, createdAt, where: and(where, eq(id, last[names.id])) }).then((instant) =>
        writePlace(instant ?? (last[names.createdAt] as Date).toISOString(), `${last[names.id]}`),
      ),
  ]);
  return { items: rows.slice(0, limit), nextCursor, total };
}

/** How many rows of a page fit into one answer: at least one, and the next page begins after them. By number all, or none. */
export async function fitting(
  { orm, from, bytes, query }: { orm: Orm; from: PgTable; bytes: SQL; query: PageQuery },
  { where = sql`true`, orderBy, limit, offset }: Extent,
): Promise<number> {
  const page = sql`select * from ${from} where ${where}
    order by ${sql.join(orderBy, sql`, `)} limit ${limit} offset ${offset}`;
  const isNumbered = !query.cursor && Boolean(query.page ?? query.pageSize ?? query.offset);
  // Ends at the first row that is too much: the others are not measured.
  const tooMuch = sql`select n from (
    select row_number() over w as n, sum(${bytes}) over w as through from (${page}) as ${from}
    window w as (rows unbounded preceding)
  ) summed where through > ${isNumbered ? MAX_NUMBERED_BYTES : MAX_PAGE_BYTES} limit 1`;
  const first = await readValue<number>(rowsOf(orm, tooMuch));
  if (!first || limit === 1) return limit;
  if (isNumbered) throw tooLarge();
  return Math.max(1, first - 1);
}

const tooLarge = (): PaymentsError =>
  new PaymentsError(
    "invalid_input",
    "This page is larger than 2 MB. Page with `limit` and `nextCursor` instead of a number.",
    {
      details: [
        { path: "page", message: "Ask for fewer items, or leave out `page` and its size." },
      ],
    },
  );

/** Rows that come after a place. The first condition alone bounds a scan of an index. */
const isAfter = ({ instant, id }: Place, createdAt: Column, column: Column): SQL | undefined => {
  const at = sql`${instant}::timestamptz`;
  return and(sql`${createdAt} <= ${at}`, or(sql`${createdAt} < ${at}`, lt(column, id)));
};

/** When a row was written, to the microsecond: rows of one millisecond are told apart by it, and a `Date` does not have it. */
async function exactly(
  orm: Orm,
  row: { from: PgTable; createdAt: Column; where: SQL | undefined },
): Promise<string | undefined> {
  const instant = sql<string>`to_char(${row.createdAt} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
  const [found] = await orm.select({ instant }).from(row.from).where(row.where);
  return found?.instant;
}

async function countRows({
  orm,
  from,
  where = sql`true`,
  countedUpTo,
}: Pick<Listing<PgTable, unknown>, "orm" | "from" | "where" | "countedUpTo">): Promise<number> {
  if (countedUpTo === undefined) return orm.$count(from, where);
  const count = sql`select count(*)::int from (select 1 from ${from} where ${where} limit ${countedUpTo}) counted`;
  return (await readValue<number>(rowsOf(orm, count))) ?? 0;
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

/** The last row of a page: when it was written, in ISO 8601, and its id. */
type Place = { instant: string; id: string };

/** The cursor of a row that two values place in its list; the first has no space. */
export const writePlace = (first: string, second: string): string =>
  Buffer.from(`${first} ${second}`).toString("base64url");

/** The two values of a cursor, whose form the expression's two groups have. */
export function readPlace(cursor: string, form: RegExp): [string, string] {
  const [, first, second] = form.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  const isOurs =
    first !== undefined && second !== undefined && writePlace(first, second) === cursor;
  if (isOurs) return [first, second];
  throw foreignCursor();
}

function readCursor(cursor: string): Place {
  const [instant, id] = readPlace(cursor, /^([^ ]*) ([^ \0]*)$/);
  const millis = instant.replace(/^(\d{4}-.{18})\d{3}Z$/, "$1Z");
  const date = new Date(millis);
  // Only what this service could have written: no other spelling, and no instant that no column holds.
  const isOurs = millis > "1970-" && !Number.isNaN(date.getTime()) && date.toISOString() === millis;
  if (isOurs) return { instant, id };
  throw foreignCursor();
}

/** The refusal of a cursor this service did not give. */
export const foreignCursor = (): PaymentsError =>
  new PaymentsError("invalid_input", "The cursor is not valid.", {
    details: [
      { path: "cursor", message: "Use `nextCursor` of the previous page, or leave it out." },
    ],
  });
