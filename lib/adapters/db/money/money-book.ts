import { sql } from "drizzle-orm";
import type {
  MoneyBook,
  MovementRow,
  PaymentUnderDelegation,
  WithdrawalAddressRecord,
} from "@/lib/domain/money/balance-ports.ts";
import type { BudgetCause } from "@/lib/domain/permissions/causes.ts";
import { audited, databaseNow } from "../audit.ts";
import { type Database, type Orm, orRolledBack, RolledBack, rowsOf } from "../client.ts";
import { reserveOnDelegation } from "../delegation-spending.ts";
import { insertDelegation } from "../delegations.ts";
import { extentOf, pageOf, readPlace, writePlace } from "../paging.ts";
import { findRow, matches, readValue } from "../rows.ts";
import { accountPayments, withdrawalAddresses } from "../schema.ts";
import { paymentDueSoon } from "./account-payments.ts";
import { bookedAt, movesOf, SPENT, writtenSince } from "./moves.ts";

/** A movement's time in microseconds, and its id. */
const PLACE = /^(\d{1,17}) ([a-z]+-[\w-]{1,140})$/;

// $1 the account, $2 the token, $3 one currency.
const mine = (isRecent?: string) =>
  `with mine as (select * from (${movesOf("true", isRecent)}) moves where $3::text is null or currency = $3)`;
const BEFORE = (place: string) =>
  `timestamptz 'epoch' + ${place}::bigint * interval '1 microsecond'`;
// As many rows of card money as a page has, $4, are at least as late as the earliest of those that were written last. It is asked
// on its own: a plan for the page that does not know the time reads every order.
const EARLIEST = `
  select min(at) from (select ${bookedAt("y", "o")} as at from payables y left join orders o on o.order_id = y.order_id
    where y.owner = $1 and ($2::text is null or y.currency = $2) and ($3::bigint is null or ${bookedAt("y", "o")} < ${BEFORE("$3")})
    order by y.created_at desc limit $4) newest having count(*) = $4`;
const PAGE = `${mine(writtenSince("coalesce($8::timestamptz, '-infinity')"))}
  select m.id as "movementId", m.kind, m.at as "createdAt", m.currency, m.amount, m.is_open as "isOpen", m.plan_id as "planId",
    p.metadata->>'name' as "planName", m.order_id as "orderId", m.party, m.tx as "txHash",
    (extract(epoch from m.at) * 1000000)::bigint::text as micros
  from mine m left join plans p on p.plan_id = m.plan_id
  where $4::bigint is null or (m.at, m.id) < (${BEFORE("$4")}, $5::text)
  order by m.at desc, m.id desc limit $6 offset $7`;
const COUNT = `${mine()} select count(*) as n from mine`;

const CHAIN_SUM = `
  select coalesce((select sum(amount) from deposits where account = $1 and token = $2), 0)
    - coalesce((select sum(amount) from account_payments where account = $1 and token = $2 and state = 'paid'), 0)
    - coalesce((select sum(o.price) ${SPENT}), 0) as sum`;
const RESERVED = `
  select coalesce(sum(amount), 0) as sum from account_payments where account = $1 and token = $2 and state = 'open'`;
const CREDITS = `
  select b.plan_id as "planId", coalesce(p.metadata->>'name', '') as "planName", b.held as reserved,
    case when b.expires_at is null or b.expires_at > app_now() then b.available else 0 end as available
  from balances b join plans p using (plan_id)
  where b.account = $1 and (b.available > 0 or b.held > 0) order by b.plan_id limit $2`;
const ADDRESSES = `
  select a.address, a.name, a.created_at as "createdAt", a.usable_at as "usableAt", p.uses, p.last as "lastUsedAt"
  from withdrawal_addresses a
    cross join lateral (select count(*) as uses, max(q.created_at) as last from account_payments q
      where q.account = a.account and q.recipient = a.address and q.kind = 'withdrawal' and q.state = 'paid') p
  where a.account = $1 order by a.created_at`;

/** What accounts have, may send, received and sent. */
export function createMoneyBook(database: Database): MoneyBook {
  const { query } = database;
  const sumOf = async (text: string, account: string, token: string) =>
    (await readValue<bigint>(query(text, [account, token]))) ?? 0n;
  return {
    credits: (account, limit) => query(CREDITS, [account, limit]),
    reserved: (account, token) => sumOf(RESERVED, account, token),
    chainSum: (account, token) => sumOf(CHAIN_SUM, account, token),
    async listMovements(account, token, page) {
      const { limit, offset } = extentOf(page);
      const scope = [account, token ?? "", page.currency ?? null];
      const [at, id] = page.cursor === undefined ? [null, null] : readPlace(page.cursor, PLACE);
      const newest = [account, page.currency ?? null, at, offset + limit + 1];
      const [rows, total] = await Promise.all([
        readValue<Date | null>(query(EARLIEST, newest)).then((since) =>
          query<MovementRow & { micros: string }>(PAGE, [
            ...scope,
            ...[at, id, limit + 1, offset],
            since ?? null,
          ]),
        ),
        readValue<number>(query(COUNT, scope)),
      ]);
      return pageOf(rows, {
        limit,
        total,
        cursorOf: ({ micros, movementId }) => writePlace(micros, movementId),
      });
    },
    ...createWithdrawalRows(database),
  };
}

function createWithdrawalRows({ orm, query }: Database) {
  return {
    listAddresses: (account) => query<WithdrawalAddressRecord>(ADDRESSES, [account]),
    addAddress: (account, { address, name, waitSecs }, audit) =>
      audited(orm, audit, async (transaction) => {
        const usableAt = sql<Date>`app_now() + make_interval(secs => ${waitSecs})`;
        await transaction
          .insert(withdrawalAddresses)
          .values({ account, address, name, createdAt: databaseNow, usableAt })
          .onConflictDoNothing();
      }),
    removeAddress: (account, address, audit) =>
      audited(orm, audit, async (transaction) => {
        await transaction
          .delete(withdrawalAddresses)
          .where(matches(withdrawalAddresses, { account, address }));
      }),
    findPayment: (account, key) => findRow(orm, accountPayments, { account, idempotencyKey: key }),
    beginPayment: (payment, note, authorized) =>
      orRolledBack(
        audited(orm, note, (transaction) => insertPayment(transaction, payment, authorized)),
      ),
  } satisfies Partial<MoneyBook>;
}

/** Rolls back a payment that is refused, with the note that it was made. */
const refused = (answer: Awaited<ReturnType<MoneyBook["beginPayment"]>>) => new RolledBack(answer);

async function insertPayment(
  transaction: Orm,
  { balance, balanceAt, mostADay = 0, ...payment }: Parameters<MoneyBook["beginPayment"]>[0],
  authorized?: PaymentUnderDelegation,
): ReturnType<MoneyBook["beginPayment"]> {
  const { account, kind, token, amount, to } = payment;
  await transaction.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`withdraw ${account}`}, 0))`,
  );
  const available = balance - (await sumLeaving(transaction, { account, token, balanceAt }));
  if (kind === "withdrawal" && !(await keepListed(transaction, { account, to })))
    throw refused({ outcome: "unlisted", available });
  if (available < amount) throw refused({ outcome: "short", available });
  if (mostADay > 0 && (await countDay(transaction, { account, kind })) >= mostADay)
    throw refused({ outcome: "many", available });
  const { authorization, delegation, isNew, cents = 0n, sinceBlock } = authorized ?? {};
  if (delegation) {
    const { delegationId } = delegation;
    if (isNew) await insertDelegation(transaction, delegation);
    const limit = await reserveOnDelegation(transaction, { delegationId, cents });
    if (limit) throw refused({ outcome: "limit", limit });
    const budgets = sql`select payment_budgets(${account}, ${delegationId}, ${to}, ${cents.toString()}::numeric)`;
    const cause = await readValue<BudgetCause | null>(rowsOf(transaction, budgets));
    if (cause) throw refused({ outcome: "limit", limit: cause });
  }
  await transaction.insert(accountPayments).values({
    ...payment,
    state: "open",
    createdAt: databaseNow,
    dueAt: paymentDueSoon,
    ...(delegation && {
      authorization,
      sinceBlock,
      // The chain knows the payment by its nonce.
      operationHash: authorization?.nonce,
      delegationId: delegation.delegationId,
      delegationCents: cents,
    }),
  });
  return { outcome: "begun" };
}

/** Whether an address of an account's list can be used; it stays there until the transaction ends. */
async function keepListed(
  transaction: Orm,
  { account, to }: { account: string; to: string },
): Promise<boolean> {
  const isListed = sql`${withdrawalAddresses.account} = ${account} and lower(${withdrawalAddresses.address}) = lower(${to})
    and ${withdrawalAddresses.usableAt} <= app_now()`;
  const rows = transaction.select().from(withdrawalAddresses).where(isListed).for("key share");
  return (await rows).length > 0;
}

/** Payments of a kind that the account made in a day and that were sent, or may yet be. */
async function countDay(
  transaction: Orm,
  { account, kind }: Pick<Parameters<MoneyBook["beginPayment"]>[0], "account" | "kind">,
): Promise<number> {
  const count = sql`select count(*)::int from account_payments where account = ${account} and kind = ${kind}
    and (state <> 'refused' or sent is not null) and created_at > app_now() - interval '1 day'`;
  return (await readValue<number>(rowsOf(transaction, count))) ?? 0;
}

/** Payments under way, and those that were paid since the balance was read. */
async function sumLeaving(
  transaction: Orm,
  { account, token, balanceAt }: { account: string; token: string; balanceAt: Date },
): Promise<bigint> {
  const sum = sql`select coalesce(sum(amount), 0)::text from account_payments
    where account = ${account} and token = ${token}
      and (state = 'open' or (state = 'paid' and closed_at >= ${balanceAt.toISOString()}::timestamptz))`;
  return BigInt((await readValue<string>(rowsOf(transaction, sum))) ?? 0);
}
