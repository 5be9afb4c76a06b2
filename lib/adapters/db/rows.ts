import { and, type Column, eq, getTableColumns, is, SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Orm } from "./client.ts";
import { accounts } from "./schema.ts";

/** The rows of a table that meet a condition, or have these values, in an order. */
export const findRows = <Table extends PgTable>(
  orm: Orm,
  table: Table,
  which: SQL | Values<Table> | undefined,
  ...orderBy: (SQL | AnyPgColumn)[]
): Promise<Table["$inferSelect"][]> =>
  orm
    .select()
    .from<PgTable>(table)
    .where(whereOf(table, which))
    .orderBy(...orderBy)
    .execute();

type Values<Table extends PgTable> = {
  [K in keyof Table["$inferSelect"]]?: NonNullable<Table["$inferSelect"][K]> | undefined;
};

/** Whether a row has these values, and of those in `asked` the ones that are given. No row has a value that is not known. */
export function matches<Table extends PgTable>(
  table: Table,
  values: Values<Table>,
  asked: Values<Table> = {},
): SQL | undefined {
  const columns: Record<string, Column> = getTableColumns(table);
  const isOne = ([name, value]: [string, unknown]) =>
    value === undefined ? sql`false` : eq(columns[name] as Column, value);
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  return and(...Object.entries(values).map(isOne), ...given.map(isOne));
}

const whereOf = <Table extends PgTable>(table: Table, which: SQL | Values<Table> | undefined) =>
  which === undefined || is(which, SQL) ? which : matches(table, which);

/** The row of a table that meets a condition, or has these values; null without one. */
export const findRow = <Table extends PgTable>(
  orm: Orm,
  table: Table,
  which: SQL | Values<Table> | undefined,
): Promise<Table["$inferSelect"] | null> => readFirst(findRows(orm, table, which));

/** The first of some rows; null without one. */
export const readFirst = async <Row>(rows: PromiseLike<Row[]>): Promise<Row | null> =>
  (await rows)[0] ?? null;

/** The first column of a statement's first row; undefined without a row. */
export async function readValue<Value>(rows: Promise<unknown[]>): Promise<Value | undefined> {
  return (await readValues<Value>(rows))[0];
}

/** The first column of all rows. */
export async function readValues<Value>(rows: Promise<unknown[]>): Promise<Value[]> {
  return (await rows).map((row) => Object.values(row as object)[0]);
}

/** Runs a statement for each step, also after one that failed, and then throws its failure; the sum of their first values. */
export async function sumSteps<Step>(
  steps: readonly Step[],
  run: (step: Step) => Promise<unknown[]>,
): Promise<number> {
  let sum = 0;
  const failures: unknown[] = [];
  for (const step of steps)
    await readValue<number>(run(step)).then(
      (value = 0) => {
        sum += value;
      },
      (cause) => failures.push(cause),
    );
  if (failures.length > 0) throw failures[0];
  return sum;
}

/** The row of a statement that always has one. */
export async function readRow<Row>(rows: Promise<Row[]>): Promise<Row> {
  const [row] = await rows;
  if (!row) throw new Error("A statement that counts read no row.");
  return row;
}

/**
 * Chooses the rows of a queue that are due, the longest due first and one of each account before the second of any: one can
 * have thousands that make no progress. Rows that another replica takes now are left out; they can't be locked where they are
 * numbered.
 */
export function isNextDue(
  table: PgTable & { account: Column; dueAt: Column },
  id: Column | SQL,
  limit: number,
  { isDue = sql`${table.dueAt} <= app_now()`, account = table.account } = {},
): SQL {
  const next = sql`select ${id} from ${table} where ${isDue}
    order by row_number() over (partition by ${account} order by ${table.dueAt}), ${table.dueAt} limit ${limit}`;
  return sql`(${id}) in (select ${id} from ${table} where ${isDue} and (${id}) in (${next}) for update skip locked)`;
}

/** Whether a token, a delegation or a key is neither revoked nor expired. */
export const isLive = (table: { revokedAt: Column; expiresAt: Column }): SQL =>
  sql`(${table.revokedAt} is null and ${table.expiresAt} > app_now())`;

/** Whether a row was not changed since it was read: a `Date` has no microseconds. */
export const isAsRead = (updatedAt: Column, read: Date): SQL =>
  sql`date_trunc('milliseconds', ${updatedAt}) = ${read.toISOString()}::timestamptz`;

/** Whether the account that a row names is stopped. */
export const isStopped = (account: Column): SQL =>
  sql`exists (select 1 from ${accounts} where ${accounts.address} = ${account} and ${accounts.stoppedAt} is not null)`;
