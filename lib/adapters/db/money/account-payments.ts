import { and, desc, eq, sql } from "drizzle-orm";
import type {
  AccountPaymentJournal,
  AccountPaymentRecord,
} from "@/lib/domain/money/account-payments.ts";
import { databaseNow } from "../audit.ts";
import { inTransaction, type Orm } from "../client.ts";
import { settleOnDelegation } from "../delegation-spending.ts";
import { findRow, isNextDue, isStopped, matches } from "../rows.ts";
import { accountPayments } from "../schema.ts";

/** How long the replica that took a payment keeps it. */
const LEASE_SECS = 60;

/** When a payment that just moved is looked at again. */
export const paymentDueSoon = sql<Date>`app_now() + interval '10 seconds'`;

export function createAccountPaymentJournal(orm: Orm): AccountPaymentJournal {
  const isOpen = (paymentId: string) => matches(accountPayments, { paymentId, state: "open" });

  const find: AccountPaymentJournal["find"] = (paymentId) =>
    findRow(orm, accountPayments, { paymentId });

  return {
    find,
    async open(payment, known) {
      const opening = { state: "open", createdAt: databaseNow, dueAt: paymentDueSoon } as const;
      await orm
        .insert(accountPayments)
        .values({ ...payment, ...known, ...opening })
        .onConflictDoUpdate({
          target: accountPayments.paymentId,
          set: {
            operationHash: sql`coalesce(${accountPayments.operationHash}, excluded.operation_hash)`,
            sinceBlock: sql`coalesce(${accountPayments.sinceBlock}, excluded.since_block)`,
          },
        });
      const opened = await find(payment.paymentId);
      if (opened) return opened;
      throw new Error(`Payment ${payment.paymentId} could not be written.`);
    },
    async noteSending(paymentId, sent) {
      const rows = await orm
        .update(accountPayments)
        .set({ sent })
        .where(and(isOpen(paymentId), mayLeave))
        .returning({ id: accountPayments.paymentId });
      return rows.length > 0;
    },
    async close(paymentId, outcome, seen = null) {
      const isUnchanged =
        outcome.status === "refused"
          ? sql`${accountPayments.sent}->>'hash' is not distinct from ${seen?.hash ?? null}::text`
          : undefined;
      return inTransaction(orm, async (transaction) => {
        const [open] = await transaction
          .select()
          .from(accountPayments)
          .where(and(isOpen(paymentId), isUnchanged))
          .for("no key update");
        if (!open) return false;
        const { delegationId, delegationCents: cents } = open;
        // First, as delegations are locked before what budgets count.
        if (delegationId && cents !== null) {
          const spending = { delegationId, cents };
          const end = outcome.status === "paid" ? "spent" : "released";
          await settleOnDelegation(transaction, spending, end);
        }
        await transaction
          .update(accountPayments)
          .set({
            state: outcome.status,
            closedAt: databaseNow,
            dueAt: null,
            ...(outcome.status === "paid"
              ? { txHash: outcome.txHash }
              : { failureCode: outcome.code, failureMessage: outcome.message }),
          })
          .where(eq(accountPayments.paymentId, paymentId));
        return true;
      });
    },
    takeDue: (kind, limit) => takeDue(orm, kind, limit),
    listLargest: async (kind, account, limit) =>
      orm
        .select()
        .from(accountPayments)
        .where(and(eq(accountPayments.account, account), isOpenOf(kind)))
        .orderBy(desc(accountPayments.amount))
        .limit(limit),
  };
}

const isOpenOf = (kind: AccountPaymentRecord["kind"]) =>
  sql`${accountPayments.dueAt} is not null and ${accountPayments.kind} = ${kind}`;

/** Withdrawals of a stopped account wait, unless they were sent. */
const mayLeave = sql`(${accountPayments.kind} <> 'withdrawal' or ${accountPayments.sent} is not null or not ${isStopped(accountPayments.account)})`;

async function takeDue(
  orm: Orm,
  kind: AccountPaymentRecord["kind"],
  limit: number,
): Promise<AccountPaymentRecord[]> {
  const { paymentId, dueAt } = accountPayments;
  const isDue = sql`${isOpenOf(kind)} and ${dueAt} <= app_now() and ${mayLeave}`;
  return orm
    .update(accountPayments)
    .set({ dueAt: sql`app_now() + make_interval(secs => ${LEASE_SECS})` })
    .where(isNextDue(accountPayments, paymentId, limit, { isDue }))
    .returning();
}
