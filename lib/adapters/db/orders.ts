import { and, eq, isNotNull, sql } from "drizzle-orm";
import { askerOf, orderSubject } from "@/lib/domain/budgets/order-approval.ts";
import type { PlatformFee } from "@/lib/domain/money/payout-ports.ts";
import type {
  MintedPayment,
  OrderFailure,
  Orders,
  Reservation,
} from "@/lib/domain/orders/order-ports.ts";
import type { AuditNote, OrderRecord } from "@/lib/domain/records.ts";
import { audited, databaseNow } from "./audit.ts";
import { inTransaction, type Orm, orRolledBack, RolledBack, rowsOf } from "./client.ts";
import { settleOnDelegation } from "./delegation-spending.ts";
import { insertDelegation } from "./delegations.ts";
import { databaseError } from "./faults.ts";
import { keepAsTaken } from "./money/renewals.ts";
import { createOrderQueue, dueNowIf, dueSoon } from "./order-queue.ts";
import { type Orderer, reserveOrder } from "./order-reservation.ts";
import { createOrderReversals } from "./order-reversals.ts";
import { failureColumns, findOrder, lockOrder } from "./order-rows.ts";
import { writeFees, writePayables } from "./payables.ts";
import { revokeUnder } from "./revoke-under.ts";
import { findRow, matches, readValue } from "./rows.ts";
import { audit, delegations, orders, tokens } from "./schema.ts";

/** Raised by `mint_order`. */
const BALANCE_FULL = "TP001";
const UNIQUE_VIOLATION = "23505";
const UNHELD: OrderFailure = {
  code: "balance_full",
  message: "The balance cannot hold this order's credits. The payment is refunded.",
  nextStep: "Use credits of this plan, then order again.",
};

export function createOrders(orm: Orm, fee: PlatformFee): Orders {
  const find = (orderId: string) => findOrder(orm, orderId);

  const findByKey = (account: string, idempotencyKey: string) =>
    findRow(orm, orders, { account, idempotencyKey });

  const end: Orders["decline"] = (...call) =>
    inTransaction(orm, (transaction) => decline(transaction, ...call));

  const write = async <Answer>(
    order: OrderRecord,
    note: AuditNote,
    work: (transaction: Orm) => Promise<Answer>,
  ): Promise<Answer | Reservation> => {
    try {
      return await orRolledBack(audited(orm, note, work));
    } catch (cause) {
      const constraint = databaseError(cause, UNIQUE_VIOLATION)?.constraint;
      if (constraint === "orders_trial_once") return { outcome: "trial-taken" };
      const known = order.idempotencyKey && (await findByKey(order.account, order.idempotencyKey));
      if (constraint === "orders_key" && known) return { outcome: "existing", order: known };
      throw cause;
    }
  };

  return {
    find,
    findByKey,
    findWaiting({ account, planId, delegationId }) {
      const own = matches(orders, { account, planId, delegationId, status: "requires_action" });
      return findRow(orm, orders, and(own, isNotNull(orders.jti)));
    },
    reserve: (order, note, created) =>
      write(order, note, async (inside) => {
        if (created) {
          await insertDelegation(inside, created);
          const { delegationId: subject } = created;
          const creation = { ...note, action: "delegation.create", subject };
          await inside.insert(audit).values({ ...creation, createdAt: databaseNow });
        }
        return reserveOrder(inside, order, ordererOf(order, note));
      }),
    restore: (order, payment, note) =>
      write(order, note, async (inside) => {
        const unfinished = await inside
          .update(orders)
          .set({ chargedAt: order.chargedAt })
          .where(matches(orders, { orderId: order.orderId, status: "requires_action" }))
          .returning({ orderId: orders.orderId });
        const reservation =
          unfinished.length > 0
            ? { outcome: "reserved" as const }
            : await reserveOrder(inside, order, null);
        await mint(inside, order.orderId, { ...payment, fee });
        return reservation;
      }),
    reserveRenewal: (order, renewal, note) =>
      write<Reservation | typeof CHANGED>(order, note, async (inside) => {
        const reservation = await reserveOrder(inside, order, ordererOf(order, note));
        // Last, as reversals lock it after delegations and balances.
        if (await keepAsTaken(inside, renewal)) return reservation;
        throw new RolledBack(CHANGED);
      }),
    async reserveTopUp(order, { amount, subject, request }, note) {
      const orderer = { asker: order.jti ?? "", subject, request, isPerson: false };
      // Most concurrent top-ups end here, without waiting for the delegation's lock.
      if (await isFilled(orm, order, amount)) return FILLED;
      return write<Reservation | typeof FILLED>(order, note, async (inside) => {
        await oneAfterAnother(inside, order);
        if (await isFilled(inside, order, amount)) throw new RolledBack(FILLED);
        return reserveOrder(inside, order, orderer);
      });
    },
    mint: (orderId, payment) =>
      inTransaction(orm, (inside) => mint(inside, orderId, { ...payment, fee })).catch(
        async (cause) => {
          if (databaseError(cause, BALANCE_FULL) === undefined) throw cause;
          await end(orderId, "declined", UNHELD);
          return { outcome: "declined" } as const;
        },
      ),
    decline: end,
    ...createOrderReversals(orm),
    ...createOrderQueue(orm),
  };
}

/** Who makes an order that is no top-up: a person, or an API key. */
const ordererOf = ({ planId, orderId }: OrderRecord, { keyId }: AuditNote): Orderer => ({
  asker: askerOf(keyId),
  subject: orderSubject(planId),
  request: orderId,
  isPerson: keyId === null,
});

/**
 * Lets top-ups of one balance wait for each other, so that each sees what the one before it did. Their tokens and
 * delegations may be different ones, whose locks do not meet. Taken before all other locks.
 */
const oneAfterAnother = (transaction: Orm, { account, planId }: OrderRecord) =>
  rowsOf(
    transaction,
    sql`select pg_advisory_xact_lock(hashtextextended(${`top-up/${account}/${planId}`}, 0))`,
  );

/** An order that the subscriber no longer agrees to. */
const CHANGED = { outcome: "changed" } as const;
/** A top-up that is no longer needed. */
const FILLED = { outcome: "filled" } as const;

/** Whether the balance has the amount, or another top-up of it is under way or, of the same delegation, waits for its holder. */
async function isFilled(transaction: Orm, order: OrderRecord, amount: bigint): Promise<boolean> {
  const { orderId, account, planId, delegationId } = order;
  const filled = sql`
    select exists (
      select 1 from orders where account = ${account} and plan_id = ${planId} and order_id <> ${orderId}
        and jti is not null and status in ('reserved', 'charging', 'requires_action')
        and (status <> 'requires_action' or delegation_id = ${delegationId})
    ) or exists (
      select 1 from balances b join plans p using (plan_id) where b.account = ${account} and b.plan_id = ${planId}
        and (b.expires_at is null or b.expires_at > app_now())
        and b.available >= case when p.access_limit = 'time' then 1 else ${amount.toString()}::numeric end
    ) as filled`;
  return (await readValue<boolean>(rowsOf(transaction, filled))) === true;
}

async function mint(
  transaction: Orm,
  orderId: string,
  { reference, isPaidOut, isCollected, fee }: MintedPayment & { fee: PlatformFee },
): ReturnType<Orders["mint"]> {
  const order = await lockOrder(transaction, orderId);
  // Its reservation was released: the payment is refunded instead of buying credits.
  if (order.status === "declined") return { outcome: "declined" };
  if (order.status !== "minted" && order.status !== "refunded") {
    await settleReservation(transaction, order, "spent");
    await transaction
      .update(orders)
      .set({
        status: "minted",
        reference,
        isCollected,
        chargedAt: order.chargedAt ?? databaseNow,
        updatedAt: databaseNow,
        dueAt: null,
        stuckAt: null,
        ...failureColumns(null),
      })
      .where(eq(orders.orderId, orderId));
    await writePayables(transaction, orderId, "earned", reference);
    if (isPaidOut) await writePayables(transaction, orderId, "paid-out", reference);
    else await writeFees(transaction, order, fee);
  }
  const minted = sql`select mint_order(${orderId}, ${order.account}, ${order.planId}, ${order.planVersion})`;
  const balance = await readValue<string>(rowsOf(transaction, minted));
  return { outcome: "minted", balance: BigInt(balance ?? 0) };
}

async function decline(
  transaction: Orm,
  ...[orderId, status, failure, next = { isDue: false }]: Parameters<Orders["decline"]>
): Promise<void> {
  const order = await lockOrder(transaction, orderId);
  const isOpen = ["reserved", "charging", "requires_action"].includes(order.status);
  if (!isOpen || order.status === status) return;
  const isEnd = status === "declined";
  if (isEnd) {
    // First, as tokens are locked before delegations.
    if (order.endsDelegation) await endDelegation(transaction, order);
    await settleReservation(transaction, order, "released");
  }
  await transaction
    .update(orders)
    .set({
      status,
      ...failureColumns(failure),
      updatedAt: databaseNow,
      dueAt: isEnd ? dueNowIf(next.isDue) : dueSoon,
      checks: 0,
      ...(isEnd && { stuckAt: null }),
    })
    .where(eq(orders.orderId, orderId));
  // Last, as budgets are locked after all others.
  if (isEnd) await rowsOf(transaction, sql`select return_approval(${orderId})`);
}

/** Revokes the delegation that was created for the order, with its tokens. */
async function endDelegation(
  transaction: Orm,
  { account, delegationId }: OrderRecord,
): Promise<void> {
  if (!delegationId) return;
  const ended = await revokeUnder(transaction, {
    tokens: eq(tokens.delegationId, delegationId),
    delegations: eq(delegations.delegationId, delegationId),
  });
  if (ended.delegations.length === 0) return;
  const note = { account, keyId: null, action: "delegation.revoke", subject: delegationId };
  await transaction.insert(audit).values({ ...note, requestId: "payment", createdAt: databaseNow });
}

/** Turns the reservation into spending, or releases it. */
async function settleReservation(
  transaction: Orm,
  order: OrderRecord,
  outcome: "spent" | "released",
): Promise<void> {
  if (order.jti) {
    await transaction
      .update(tokens)
      .set({
        orderReserved: sql`${tokens.orderReserved} - ${order.reservedAmount}`,
        ...(outcome === "spent" && {
          orderSpent: sql`${tokens.orderSpent} + ${order.reservedAmount}`,
        }),
      })
      .where(eq(tokens.jti, order.jti));
  }
  const { delegationId, reservedCents: cents } = order;
  if (delegationId) await settleOnDelegation(transaction, { delegationId, cents }, outcome);
}
