import { and, eq, inArray, sql } from "drizzle-orm";
import type {
  AccountPaymentJournal,
  AccountPaymentRecord,
} from "@/lib/domain/money/account-payments.ts";
import { databaseNow } from "../audit.ts";
import { type Orm, rowsOf } from "../client.ts";
import { settleOnDelegation } from "../delegation-spending.ts";
import { accountPayments } from "../schema.ts";

/** How long the replica that took a payment keeps it. */
const LEASE_SECS = 60;

/** When a payment that just moved is looked at again. */
export const paymentDueSoon = sql<Date>`app_now() + interval '10 seconds'`;

export function createAccountPaymentJournal(orm: Orm): AccountPaymentJournal {
  const isOpen = (paymentId: string) =>
    and(eq(accountPayments.paymentId, paymentId), eq(accountPayments.state, "open"));

  const find: AccountPaymentJournal["find"] = async (paymentId) => {
    const [row] = await orm
      .select()
      .from(accountPayments)
      .where(eq(accountPayments.paymentId, paymentId));
    return row ? fromRow(row) : null;
  };

  return {
    find,
    async open({ to: recipient, ...payment }, known) {
      await orm
        .insert(accountPayments)
        .values({
          ...payment,
          ...known,
          recipient,
          state: "open",
          createdAt: databaseNow,
          dueAt: paymentDueSoon,
        })
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
        .where(isOpen(paymentId))
        .returning({ id: accountPayments.paymentId });
      return rows.length > 0;
    },
    async close(paymentId, outcome, seen = null) {
      const isUnchanged =
        outcome.status === "refused"
          ? sql`${accountPayments.sent}->>'hash' is not distinct from ${seen?.hash ?? null}::text`
          : undefined;
      return orm.transaction(async (transaction) => {
        const [closed] = await transaction
          .update(accountPayments)
          .set({
            state: outcome.status,
            closedAt: databaseNow,
            dueAt: null,
            ...(outcome.status === "paid"
              ? { txHash: outcome.txHash }
              : { failureCode: outcome.code, failureMessage: outcome.message }),
          })
          .where(and(isOpen(paymentId), isUnchanged))
          .returning();
        const { delegationId, delegationCents: cents } = closed ?? {};
        if (delegationId && cents !== null && cents !== undefined) {
          const spending = { delegationId, cents };
          await settleOnDelegation(
            transaction as unknown as Orm,
            spending,
            outcome.status === "paid" ? "spent" : "released",
          );
        }
        return closed !== undefined;
      });
    },
    takeDue: (kind, limit, account) => takeDue(orm, kind, { limit, account }),
  };
}

async function takeDue(
  orm: Orm,
  kind: AccountPaymentRecord["kind"],
  { limit, account }: { limit: number; account: string | undefined },
): Promise<AccountPaymentRecord[]> {
  const taken = await rowsOf<{ payment_id: string }>(
    orm,
    sql`update account_payments set due_at = app_now() + make_interval(secs => ${LEASE_SECS})
      where payment_id in (select payment_id from account_payments where due_at is not null and kind = ${kind}
        and (account = ${account ?? ""} or (${account === undefined} and due_at <= app_now())) order by due_at
        limit ${limit} for update skip locked)
      returning payment_id`,
  );
  const ids = taken.map(({ payment_id: id }) => id);
  if (ids.length === 0) return [];
  const rows = await orm
    .select()
    .from(accountPayments)
    .where(inArray(accountPayments.paymentId, ids));
  return rows.map(fromRow);
}

export const fromRow = ({
  recipient: to,
  ...row
}: typeof accountPayments.$inferSelect): AccountPaymentRecord => ({ ...row, to });
