import { EXACT } from "@turnpike/payments/protocol";
import { and, eq, sql } from "drizzle-orm";
import type { Reservation } from "@/lib/domain/orders/order-ports.ts";
import type { Cause } from "@/lib/domain/permissions/causes.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";
import { type Orm, RolledBack, rowsOf } from "./client.ts";
import { reserveOnDelegation } from "./delegation-spending.ts";
import { dueSoon } from "./order-queue.ts";
import { findRow, readValue } from "./rows.ts";
import { authorizations, orders, tokens } from "./schema.ts";

/** Who orders and what for, as an approval would name it. A person's own order needs none. */
export type Orderer = { asker: string; subject: string; request: string; isPerson: boolean };

/**
 * Writes an order and reserves its price on token, delegation and budgets. Without an orderer, it is minted in the same
 * transaction, and budgets are not asked. Rolled back with what forbids it.
 */
export async function reserveOrder(
  transaction: Orm,
  order: OrderRecord,
  orderer: Orderer | null,
): Promise<Reservation> {
  if (order.scheme === EXACT) await lockAuthorization(transaction, order.fingerprint);
  if (order.jti) await reserveOnToken(transaction, order, order.jti);
  const { delegationId, reservedCents: cents } = order;
  const limit = delegationId && (await reserveOnDelegation(transaction, { delegationId, cents }));
  if (limit) throw new RolledBack<Reservation>({ outcome: "limit", limit });
  if (orderer) await reserveOnBudgets(transaction, order, orderer);
  else await lockBalance(transaction, order);
  await transaction.insert(orders).values({ ...order, dueAt: dueSoon });
  const fits = sql`select balance_holds(${order.account}, ${order.planId}, sum(v.granted))
      and time_holds(${order.account}, ${order.planId}, sum(v.duration_secs)) as fits
    from orders o join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
    where o.account = ${order.account} and o.plan_id = ${order.planId}
      and o.status in ('reserved', 'charging', 'requires_action')`;
  if (await readValue<boolean>(rowsOf(transaction, fits))) return { outcome: "reserved" };
  throw new RolledBack<Reservation>({ outcome: "full" });
}

/** The order captures what is written now, or by those who have its lock: once it exists, its payer cannot sign it again. */
const lockAuthorization = (transaction: Orm, id: string) =>
  transaction
    .select({ id: authorizations.id })
    .from(authorizations)
    .where(eq(authorizations.id, id))
    .for("share");

/** Balances are locked before the budgets that count the order. */
const lockBalance = (transaction: Orm, { account, planId }: OrderRecord) =>
  rowsOf(transaction, sql`select lock_rows('{}', array[${account}], array[${planId}])`);

async function reserveOnToken(transaction: Orm, order: OrderRecord, jti: string): Promise<void> {
  const [row] = await transaction
    .update(tokens)
    .set({ orderReserved: sql`${tokens.orderReserved} + ${order.reservedAmount}` })
    .where(
      and(
        eq(tokens.jti, jti),
        sql`${tokens.revokedAt} is null`,
        sql`${tokens.orderSpent} + ${tokens.orderReserved} + ${order.reservedAmount} <= ${tokens.orderLimit}`,
      ),
    )
    .returning({ jti: tokens.jti });
  if (row) return;
  const current = await findRow(transaction, tokens, { jti });
  const limit = current?.revokedAt ? "tokenRevoked" : "orderLimit";
  throw new RolledBack<Reservation>({ outcome: "limit", limit });
}

/** Checks the order against the budgets of its account and delegation; orders themselves are what they count. */
async function reserveOnBudgets(
  transaction: Orm,
  { account, delegationId, planId, agentId, cents, currency, createdAt }: OrderRecord,
  { isPerson, asker, subject, request }: Orderer,
): Promise<void> {
  const budgets = sql`select order_budgets(${account}, ${asker}, ${delegationId}, ${planId}, ${agentId}, ${currency},
    ${cents === null ? null : cents.toString()}::numeric, ${subject}, ${request}, ${isPerson}, ${createdAt.toISOString()}::timestamptz)`;
  const cause = await readValue<Cause | null>(rowsOf(transaction, budgets));
  if (cause) throw new RolledBack<Reservation>({ outcome: "budget", cause });
}
