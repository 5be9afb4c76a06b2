import { and, eq, inArray, sql } from "drizzle-orm";
import type { Orders } from "@/lib/domain/orders/order-ports.ts";
import { databaseNow } from "./audit.ts";
import { type Orm, rowsOf } from "./client.ts";
import { isNextDue, readValue } from "./rows.ts";
import { orders } from "./schema.ts";

/** How long the replica that took an order keeps it. */
const LEASE_SECS = 60;
const FIRST_WAIT_SECS = 30;
const LONGEST_WAIT_SECS = 300;

/** When an order that just moved is looked at again. */
export const dueSoon = sql<Date>`app_now() + make_interval(secs => ${FIRST_WAIT_SECS})`;

/** When an order that has ended is looked at again. */
export const dueNowIf = (isDue: boolean) => (isDue ? databaseNow : null);

/** Open orders, and the worker that has each of them now. */
export function createOrderQueue(orm: Orm) {
  return {
    async markCharging(orderId) {
      const [row] = await orm
        .update(orders)
        .set({
          status: "charging",
          attempt: sql`${orders.attempt} + 1`,
          dueAt: dueSoon,
          updatedAt: databaseNow,
        })
        .where(and(eq(orders.orderId, orderId), inArray(orders.status, ["reserved", "charging"])))
        .returning();
      return row ?? null;
    },
    takeDue: (limit) =>
      orm
        .update(orders)
        .set({
          dueAt: sql`app_now() + make_interval(secs => ${LEASE_SECS})`,
          checks: sql`${orders.checks} + 1`,
        })
        .where(isNextDue(orders, orders.orderId, limit))
        .returning(),
    async putOff(orderId, stuckAfterSecs) {
      const update = sql`update orders o set
          due_at = app_now() + make_interval(secs => least(${LONGEST_WAIT_SECS}, ${FIRST_WAIT_SECS} * power(2, least(o.checks, 10)))),
          stuck_at = case when case when o.status in ('minted', 'refunded', 'declined') then o.updated_at else o.created_at end <= app_now() - make_interval(secs => ${stuckAfterSecs})
            then coalesce(o.stuck_at, app_now()) end
        from orders before
        where o.order_id = ${orderId} and before.order_id = o.order_id and o.due_at is not null
        returning before.stuck_at is null and o.stuck_at is not null as is_new`;
      return (await readValue<boolean>(rowsOf(orm, update))) === true;
    },
    countStuck: () =>
      orm.$count(
        orders,
        sql`due_at is not null and stuck_at is not null or refund_state = 'refused'`,
      ),
  } satisfies Partial<Orders>;
}
