import { sql } from "drizzle-orm";
import type { Orders } from "@/lib/domain/orders/order-ports.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";
import { type Orm, rowsOf } from "./client.ts";

/** How long the replica that took an order keeps it. */
const LEASE_SECS = 60;
const FIRST_WAIT_SECS = 30;
const LONGEST_WAIT_SECS = 300;

/** When an order that just moved is looked at again. */
export const dueSoon = sql<Date>`app_now() + make_interval(secs => ${FIRST_WAIT_SECS})`;

/** Open orders, and the worker that has each of them now. */
export function createOrderQueue(
  orm: Orm,
  find: (orderId: string) => Promise<OrderRecord | null>,
): Pick<Orders, "takeDue" | "putOff" | "countStuck"> {
  return {
    async takeDue(limit) {
      const taken = await rowsOf<{ order_id: string }>(
        orm,
        sql`update orders set due_at = app_now() + make_interval(secs => ${LEASE_SECS}), checks = checks + 1
          where order_id in (select order_id from orders where due_at <= app_now() order by due_at
            limit ${limit} for update skip locked)
          returning order_id`,
      );
      const found = await Promise.all(taken.map(({ order_id: orderId }) => find(orderId)));
      return found.filter((order) => order !== null);
    },
    async putOff(orderId, stuckAfterSecs) {
      const [row] = await rowsOf<{ is_new: boolean }>(
        orm,
        sql`update orders o set
            due_at = app_now() + make_interval(secs => least(${LONGEST_WAIT_SECS}, ${FIRST_WAIT_SECS} * power(2, least(o.checks, 10)))),
            stuck_at = case when o.created_at <= app_now() - make_interval(secs => ${stuckAfterSecs})
              then coalesce(o.stuck_at, app_now()) end
          from orders before
          where o.order_id = ${orderId} and before.order_id = o.order_id and o.due_at is not null
          returning before.stuck_at is null and o.stuck_at is not null as is_new`,
      );
      return row?.is_new === true;
    },
    async countStuck() {
      const [row] = await rowsOf<{ n: string }>(
        orm,
        sql`select count(*)::text as n from orders
          where due_at is not null and stuck_at is not null or refund_state = 'refused'`,
      );
      return Number(row?.n ?? 0);
    },
  };
}
