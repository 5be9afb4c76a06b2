import { and, eq, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { Orders, SentOn } from "@/lib/domain/orders/order-ports.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";
import { audited, databaseNow } from "./audit.ts";
import { inTransaction, type Orm, rowsOf } from "./client.ts";
import { dueNowIf } from "./order-queue.ts";
import { failureColumns, lockOrder } from "./order-rows.ts";
import { writePayables } from "./payables.ts";
import { revokeUnder } from "./revoke-under.ts";
import { matches, readValue } from "./rows.ts";
import { delegations, orders, tokens } from "./schema.ts";

/** Reversed payments: a minted order's credits are taken back, a declined order had none. */
export function createOrderReversals(orm: Orm) {
  return {
    async oweRefund(orderId) {
      await orm
        .update(orders)
        .set({ refundState: "owed", dueAt: databaseNow, checks: 0, updatedAt: databaseNow })
        .where(
          and(
            matches(orders, { orderId, status: "declined" }),
            sql`${orders.refundState} is distinct from 'owed'`,
          ),
        );
    },
    async closeRefund(orderId, refundState, refundReference) {
      await orm
        .update(orders)
        .set({
          refundState,
          refundReference,
          dueAt: null,
          stuckAt: null,
          updatedAt: databaseNow,
        })
        .where(matches(orders, { orderId, refundState: "owed" }));
    },
    async closeReturned(orderId, { isDue }) {
      const end = { dueAt: dueNowIf(isDue), checks: 0, stuckAt: null, updatedAt: databaseNow };
      await orm
        .update(orders)
        .set({ refundState: "done", ...end })
        .where(
          and(
            matches(orders, { orderId, status: "declined" }),
            // Lookups in progress continue, and operators are not alerted again.
            sql`(${orders.dueAt} is null or ${orders.refundState} is distinct from 'done')`,
          ),
        );
    },
    reverse: (orderId, failure, { revokes, audit }) =>
      onOrder(orm, orderId, async (transaction, order) => {
        if (order.status !== "minted" && order.status !== "refunded") return;
        // Once for a return of the payment, and again when more or less of it is disputed.
        if (order.failureCode === failure.code && (await isReversed(transaction, order))) return;
        await audited(transaction, audit, async () => {
          await transaction
            .update(orders)
            .set({ ...failureColumns(failure), updatedAt: databaseNow })
            .where(eq(orders.orderId, orderId));
          if (revokes) await revokeBoughtBy(transaction, order);
          await transaction.execute(sql`select reverse_order(${orderId})`);
          await writePayables(transaction, orderId, "reversed", order.reference);
        });
      }),
    findSentOn: (orderId) => findSentOn(orm, orderId),
    noteReturned: (orderId, { returned, isDone, sentOn }) =>
      onOrder(orm, orderId, async (transaction, { reference }) => {
        await transaction.execute(
          sql`select write_returned(${orderId}, ${returned.toString()}::numeric, ${reference})`,
        );
        const now = await findSentOn(transaction, orderId);
        const isSame = now?.disputed === sentOn.disputed && now.due === sentOn.due;
        // A refund may have been sent after the look.
        if (!isDone || !isSame || sentOn.isRefunding || now.isRefunding) return;
        await transaction
          .update(orders)
          .set({ dueAt: null, stuckAt: null })
          .where(eq(orders.orderId, orderId));
      }),
    reinstate: (orderId, audit) =>
      onOrder(orm, orderId, async (transaction, order) => {
        if (order.status !== "minted" && order.status !== "refunded") return;
        if (order.reversedAmount === 0n && order.failureCode !== "disputed") return;
        await audited(transaction, audit, async () => {
          await transaction.execute(sql`select reinstate_order(${orderId})`);
          await writePayables(transaction, orderId, "restored", order.reference);
          await transaction.execute(sql`select mark_refunded(${orderId})`);
        });
      }),
  } satisfies Partial<Orders>;
}

const onOrder = (
  orm: Orm,
  orderId: string,
  change: (transaction: Orm, order: OrderRecord) => Promise<void>,
): Promise<void> =>
  inTransaction(orm, async (transaction) =>
    change(transaction, await lockOrder(transaction, orderId)),
  );

async function findSentOn(orm: Orm, orderId: string): Promise<SentOn | null> {
  const [row] = await rowsOf<{ due: string; disputed: string; isRefunding: boolean }>(
    orm,
    sql`select due::text, disputed::text, is_refunding as "isRefunding" from sent_on(${orderId})`,
  );
  return row ? { ...row, due: BigInt(row.due), disputed: BigInt(row.disputed) } : null;
}

/** Whether what the order's failure says is taken back: all of it, or as much as is disputed. */
async function isReversed(
  transaction: Orm,
  { orderId, status, failureCode, reversedAmount }: OrderRecord,
): Promise<boolean> {
  if (failureCode !== "disputed") return status === "refunded";
  const wanted = sql`select reversal_of(${orderId}, ${failureCode})::text`;
  return reversedAmount === BigInt((await readValue<string>(rowsOf(transaction, wanted))) ?? 0);
}

/** Revokes what may have been bought by fraud: the plan's tokens, and the delegations behind them or on its card. */
async function revokeBoughtBy(transaction: Orm, order: OrderRecord): Promise<void> {
  const { account, planId, delegationId, paymentMethodId } = order;
  const ofPlan = matches(tokens, { account, planId });
  const behind = transaction
    .select({ id: tokens.delegationId })
    .from(tokens)
    .where(and(ofPlan, isNull(tokens.revokedAt)));
  const charging = await transaction
    .select({ id: delegations.delegationId })
    .from(delegations)
    .where(
      and(
        eq(delegations.account, account),
        isNotNull(delegations.paymentMethodId),
        isNull(delegations.revokedAt),
        or(
          inArray(delegations.delegationId, behind),
          eq(delegations.delegationId, delegationId ?? ""),
          eq(delegations.paymentMethodId, paymentMethodId ?? ""),
        ),
      ),
    );
  const ids = charging.map(({ id }) => id);
  await revokeUnder(transaction, {
    tokens: or(ofPlan, inArray(tokens.delegationId, ids)),
    delegations: inArray(delegations.delegationId, ids),
  });
}
