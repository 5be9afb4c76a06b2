import { eq } from "drizzle-orm";
import type { OrderFailure } from "@/lib/domain/orders/order-ports.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";
import type { Orm } from "./client.ts";
import { findRow } from "./rows.ts";
import { orders } from "./schema.ts";

export const findOrder = (orm: Orm, orderId: string): Promise<OrderRecord | null> =>
  findRow(orm, orders, eq(orders.orderId, orderId));

/** Reads an order and locks it until the transaction ends. */
export async function lockOrder(transaction: Orm, orderId: string): Promise<OrderRecord> {
  const [row] = await transaction
    .select()
    .from(orders)
    .where(eq(orders.orderId, orderId))
    .for("no key update");
  if (!row) throw new Error(`Order ${orderId} is gone.`);
  return row;
}

/** Why an order is not paid, as its row keeps it; null once it is paid. */
export const failureColumns = (failure: OrderFailure | null) => ({
  failureCode: failure?.code ?? null,
  failureMessage: failure?.message ?? null,
  failureNextStep: failure?.nextStep ?? null,
});

/** When an order was charged, as SQL; when it began if it was not. The index `orders_plan` has the same expression. */
export const chargedAt = (order: string): string =>
  `coalesce(${order}.charged_at, ${order}.created_at)`;
