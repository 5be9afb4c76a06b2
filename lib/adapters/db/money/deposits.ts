import { and, eq, inArray, sql } from "drizzle-orm";
import type { DepositRange, DepositRow, Deposits } from "@/lib/domain/money/balance-ports.ts";
import type { Database, Orm } from "../client.ts";
import { findRow, readValue, readValues } from "../rows.ts";
import { chainCursors, deposits } from "../schema.ts";

const FOLLOWED = `
  select account from (
    select split_part(contract, ' ', 3) as account, block from chain_cursors where contract like 'deposits ' || $1 || ' 0x%'
    union all select account, null from webhook_endpoints where state = 'active') followed
  group by account order by bool_or(block is null) desc, max(block) desc, account`;

const BEHIND = `
  select split_part(contract, ' ', 3) as account from chain_cursors
  where block < first and contract like 'deposits ' || $1 || ' 0x%' order by block limit 1`;

/** Incoming transfers, and up to which block they were read. */
export function createDeposits({ orm, query }: Database): Deposits {
  return {
    listFollowed: (token) => readValues(query(FOLLOWED, [token])),
    findBehind: async (token) => (await readValue<string>(query(BEHIND, [token]))) ?? null,
    async cursor(reader, token) {
      return findRow(orm, chainCursors, eq(chainCursors.contract, keyOf(reader, token)));
    },
    list: (range) => list(orm, range),
    replace: (range, rows) =>
      orm.transaction(async (transaction) => {
        const written = await list(transaction, range);
        const { gone, moved, rest } = compare(written, rows);
        if (gone.length > 0) {
          const ids = sql.param(gone.map(idOf));
          await transaction
            .delete(deposits)
            .where(
              and(
                inArray(deposits.account, range.accounts),
                sql`${deposits.txHash} || ' ' || ${deposits.logIndex} = any(${ids}::text[])`,
              ),
            );
        }
        await insert(transaction, moved, "moved");
        await insert(transaction, rest, `${range.first}`);
        if (range.reader === null) return;
        await transaction
          .insert(chainCursors)
          .values({
            contract: keyOf(range.reader, range.token),
            block: range.to,
            first: range.first,
          })
          .onConflictDoUpdate({
            target: chainCursors.contract,
            set: {
              block: range.to,
              first: sql`coalesce(${chainCursors.first}, excluded.first)`,
            },
          });
      }),
  };
}

const keyOf = (reader: string, token: string) => `deposits ${token} ${reader}`;

const list = (orm: Orm, { accounts, token, from, to }: DepositRange): Promise<DepositRow[]> =>
  orm
    .select()
    .from(deposits)
    .where(
      and(
        inArray(deposits.account, accounts),
        eq(deposits.token, token),
        sql`${deposits.block} between ${from} and ${to}`,
      ),
    );

const idOf = ({ txHash, logIndex }: DepositRow) => `${txHash} ${logIndex}`;
const transferOf = ({ txHash, account, sender, amount }: DepositRow) =>
  `${txHash} ${account} ${sender} ${amount}`;

/**
 * What of the written rows is gone, and what was read. In another block a transaction's transfers have other places among
 * the block's logs: each of them is the row that is gone with the same transaction, accounts and amount.
 */
function compare(written: DepositRow[], read: DepositRow[]) {
  const ids = [new Set(written.map(idOf)), new Set(read.map(idOf))] as const;
  const gone = written.filter((row) => !ids[1].has(idOf(row)));
  const left = gone.map(transferOf);
  const moved = new Set<DepositRow>();
  for (const row of read) {
    const place = ids[0].has(idOf(row)) ? -1 : left.indexOf(transferOf(row));
    if (place < 0) continue;
    left.splice(place, 1);
    moved.add(row);
  }
  return { gone, moved: [...moved], rest: read.filter((row) => !moved.has(row)) };
}

/** A statement has at most 65,535 parameters, and anyone may send one account as many transfers. */
const A_STATEMENT = 1_000;

/** `known` says to the trigger which of them are no news: those that `moved`, or old ones up to a block. */
async function insert(transaction: Orm, rows: DepositRow[], known: string): Promise<void> {
  await transaction.execute(sql`select set_config('turnpike.deposits', ${known}, true)`);
  for (let start = 0; start < rows.length; start += A_STATEMENT)
    await transaction
      .insert(deposits)
      .values(rows.slice(start, start + A_STATEMENT))
      .onConflictDoUpdate({
        target: [deposits.txHash, deposits.logIndex],
        set: { block: sql`excluded.block`, createdAt: sql`excluded.created_at` },
      });
}
