import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PayoutAccountRecord, Payouts } from "@/lib/domain/money/payout-ports.ts";
import { audited, auditedIf, databaseNow } from "../audit.ts";
import { type Database, type Orm, rowsOf } from "../client.ts";
import { readPage } from "../paging.ts";
import { findRow, isAsRead, isNextDue, isStopped, matches, readValue } from "../rows.ts";
import { payoutAccounts, payouts } from "../schema.ts";
import { createBeginReturn } from "./begin-return.ts";
import { createClearings } from "./clearings.ts";

const OWED = `
  select currency, amount, cleared, converted from sums_owed($1) where amount <> 0 order by currency`;
const SUM_OF = (states: string) => `
  select currency, sum(amount) as amount from payouts where account = $1 and state in (${states}) group by currency`;

/** How long the replica that took a payout keeps it, and how often one on its way is looked at. */
const LEASE_SECS = 60;
const LOOK_SECS = 300;
/** Banks send payouts back for up to five business days after they had them, so those are looked at daily for a week. */
const DAY_SECS = 86_400;
const RETURN_DAYS = 7;
/** When a payout that was just taken is looked at again; never once no bank sends it back any more. */
const nextLook = sql<Date>`case ${payouts.state} when 'sent' then app_now() + make_interval(secs => ${LOOK_SECS})
  when 'paid' then case when ${payouts.updatedAt} > app_now() - make_interval(days => ${RETURN_DAYS})
    then app_now() + make_interval(secs => ${DAY_SECS}) end
  else app_now() + make_interval(secs => ${LEASE_SECS}) end`;

/** Those of a stopped account wait until they may be sent; sent ones are followed. */
const isPayoutDue = sql`${payouts.dueAt} <= app_now() and not (${payouts.state} = 'open' and ${isStopped(payouts.account)})`;

/** What is owed to builders, their accounts at the processor and their payouts. */
export function createPayouts(database: Database): Payouts {
  const { orm, query } = database;
  return {
    owed: (account) => query(OWED, [account]),
    underWay: (account) => query(SUM_OF("'open', 'sent', 'returning'"), [account]),
    transferred: (account) =>
      query(
        `select currency, sum(amount) as amount from payouts
         where account = $1 and transfer_reference is not null and state <> 'failed'
           and processor_account = (select a.processor_account from payout_accounts a where a.account = $1) group by currency`,
        [account],
      ),
    ...createClearings(database),
    ...createPayoutAccounts(database),
    ...createPayoutRows(database),
    async begin(payout, audit) {
      const { payoutId, account, processorAccount, currency, idempotencyKey: key } = payout;
      const [unit, most] = [payout.unit.toString(), payout.most?.toString() ?? null];
      const find = () => (key ? findBy(matches(payouts, { account, idempotencyKey: key })) : null);
      const findBy = (where: SQL | undefined) => findRow(orm, payouts, where);
      try {
        let owed: string | null | undefined;
        const isBegun = await auditedIf(orm, audit, async (transaction) => {
          const begin = sql`select begin_payout(${payoutId}, ${account}, ${processorAccount}, ${currency}, ${key}, ${unit}::numeric, ${most}::numeric)`;
          owed = await readValue<string | null>(rowsOf(transaction, begin));
          return owed == null;
        });
        if (!isBegun) {
          const known = await find();
          return known ? { payout: known } : { owed: BigInt(owed ?? 0) };
        }
        const begun = await findBy(eq(payouts.payoutId, payoutId));
        if (begun) return { payout: begun };
        throw new Error(`Payout ${payoutId} could not be written.`);
      } catch (cause) {
        // A concurrent request with the same key came first.
        const known = await find();
        if (known) return { payout: known };
        throw cause;
      }
    },
  };
}

function createPayoutAccounts({ orm }: Database) {
  return {
    findAccount: (account) => findRow(orm, payoutAccounts, { account }),
    openAccount: (account, processorAccount, instead, audit) =>
      audited(orm, audit, async (transaction) => {
        await transaction
          .insert(payoutAccounts)
          .values({
            account,
            processorAccount,
            status: "onboarding",
            missing: [],
            schedule: "manual",
            createdAt: databaseNow,
            updatedAt: databaseNow,
          })
          .onConflictDoUpdate({
            target: payoutAccounts.account,
            set: { processorAccount, status: "onboarding", missing: [], updatedAt: databaseNow },
            setWhere: eq(payoutAccounts.processorAccount, instead ?? ""),
          });
      }),
    async updateAccount(account, changes, audit) {
      const write = async (transaction: Orm) => {
        await transaction
          .update(payoutAccounts)
          .set({ ...changes, updatedAt: databaseNow })
          .where(eq(payoutAccounts.account, account));
      };
      await (audit ? audited(orm, audit, write) : write(orm));
    },
    async setNextPayout({ account, schedule, nextPayoutAt: readAt }, nextPayoutAt) {
      if (!readAt) return;
      await orm
        .update(payoutAccounts)
        .set({ nextPayoutAt, updatedAt: databaseNow })
        .where(
          and(
            matches(payoutAccounts, { account, schedule }),
            isAsRead(payoutAccounts.nextPayoutAt, readAt),
          ),
        );
    },
    listDueAccounts: (limit): Promise<PayoutAccountRecord[]> =>
      orm
        .select()
        .from(payoutAccounts)
        .where(
          sql`${payoutAccounts.nextPayoutAt} <= app_now() and ${payoutAccounts.schedule} <> 'manual' and not ${isStopped(payoutAccounts.account)}`,
        )
        .orderBy(payoutAccounts.nextPayoutAt)
        .limit(limit),
  } satisfies Partial<Payouts>;
}

function createPayoutRows({ orm, query }: Database) {
  const dueIn = (secs: number) => sql<Date>`app_now() + make_interval(secs => ${secs})`;
  const findBy = (where: SQL | undefined) => findRow(orm, payouts, where);
  return {
    findPayout: (payoutId) => findBy(eq(payouts.payoutId, payoutId)),
    findPayoutByKey: (account, key) => findBy(matches(payouts, { account, idempotencyKey: key })),
    listPayouts: (account, page) =>
      readPage({
        orm,
        from: payouts,
        where: eq(payouts.account, account),
        id: "payoutId",
        query: page,
      }),
    async noteTransfer(payoutId, transferReference) {
      const rows = await orm
        .update(payouts)
        .set({ transferReference, updatedAt: databaseNow })
        .where(and(eq(payouts.payoutId, payoutId), sql`${payouts.state} <> 'failed'`))
        .returning({ id: payouts.payoutId });
      return rows.length > 0;
    },
    async moveOn(payoutId, to) {
      const from = to.state === "sent" ? "open" : "sent";
      await orm
        .update(payouts)
        .set({
          state: to.state,
          updatedAt: databaseNow,
          dueAt: dueIn(to.state === "sent" ? LOOK_SECS : DAY_SECS),
          ...(to.state === "sent" && { payoutReference: to.reference, arrivesAt: to.arrivesAt }),
        })
        .where(matches(payouts, { payoutId, state: from }));
    },
    beginReturn: createBeginReturn(orm),
    async fail(payoutId, failure) {
      const { code = null, message = null } = failure ?? {};
      await query("select fail_payout($1, $2, $3)", [payoutId, code, message]);
    },
    takeDuePayouts: (limit) =>
      orm
        .update(payouts)
        .set({ dueAt: nextLook })
        .where(isNextDue(payouts, payouts.payoutId, limit, { isDue: isPayoutDue }))
        .returning(),
  } satisfies Partial<Payouts>;
}
