import { and, eq, sql } from "drizzle-orm";
import type { PgInsertValue } from "drizzle-orm/pg-core";
import type {
  Refundable,
  RefundOpening,
  RefundRecord,
  Refunds,
} from "@/lib/domain/money/refund-ports.ts";
import { least } from "@/lib/domain/orders/money.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";
import { audited, auditedIf, databaseNow } from "../audit.ts";
import { inTransaction, type Orm, orRolledBack, RolledBack, rowsOf } from "../client.ts";
import { lockOrder } from "../order-rows.ts";
import { findRow, matches, readValue } from "../rows.ts";
import { plans, refunds } from "../schema.ts";
import { createRefundQueue, dueSoon } from "./refund-queue.ts";
import { endRequests, reopenRequests } from "./refund-requests.ts";
import { findCall, findRefundable, readCall } from "./refundable.ts";

/** Rolls back a refund that is not to be, and says why. */
const notOpened = (opening: RefundOpening) => new RolledBack(opening);

/** Refunds on SQL. Every change of money or credits runs under the order's lock, in one transaction. */
export function createRefunds(orm: Orm): Refunds {
  return {
    find: (refundId) => findRow(orm, refunds, { refundId }),
    ...createRefundQueue(orm),
    findByKey: (idempotencyKey) => findRow(orm, refunds, { idempotencyKey }),
    findCall: (...call) => findCall(orm, ...call),
    findCallByKey: (requestKey) => readCall(orm, sql`s.request_key = ${requestKey}`),
    findRefundable: (orderId) => findRefundable(orm, orderId),
    open: (refund, audit, terms) =>
      orRolledBack(audited(orm, audit, (transaction) => open(transaction, refund, terms))),
    request: (refund, audit) =>
      orRolledBack(
        audited(orm, audit, async (transaction): Promise<RefundOpening> => {
          if (refund.orderId === null) await requirePaid(transaction, refund);
          const known = await insert(transaction, refund);
          if (known) throw notOpened(known);
          return { outcome: "opened", refund };
        }),
      ),
    decline: (refundId, message, audit) =>
      auditedIf(orm, audit, async (transaction) => {
        const rows = await transaction
          .update(refunds)
          .set({ state: "declined", message, updatedAt: databaseNow })
          .where(matches(refunds, { refundId, state: "requested" }))
          .returning({ refundId: refunds.refundId });
        return rows.length === 1;
      }),
    note: (refundId, news) =>
      inTransaction(orm, async (transaction) => {
        const refund = await lockRefund(transaction, refundId);
        const { state, reference, failure } = news;
        const isStanding = refund.state === "open" || refund.state === "paid";
        if (!isStanding || (refund.state === "paid" && state !== "refused")) return;
        await transaction
          .update(refunds)
          .set({
            state,
            reference: reference || refund.reference,
            dueAt: state === "open" ? refund.dueAt : null,
            updatedAt: databaseNow,
            ...(failure && { failureCode: failure.code, failureMessage: failure.message }),
          })
          .where(eq(refunds.refundId, refundId));
        if (state !== "refused") return;
        await transaction.execute(sql`select undo_refund(${refundId})`);
        await reopenRequests(transaction, refund);
      }),
    adopt: (order, found) =>
      inTransaction(orm, async (transaction) => {
        await lockOrder(transaction, order.orderId);
        await adopt(transaction, order, found);
      }),
  };
}

async function open(
  transaction: Orm,
  refund: RefundRecord,
  { isSentOn, isUnused, mostADay = 0 }: Parameters<Refunds["open"]>[2],
): Promise<RefundOpening> {
  const { refundId, orderId, requestKey } = refund;
  const order = orderId === null ? null : await lockOrder(transaction, orderId);
  const isRequest = await takeRequest(transaction, refund);
  const left = order && (await requireLeft(transaction, order, refund.amount));
  await endRequests(transaction, refund, left);
  if (left && mostADay > 0) await requireFew(transaction, refund, mostADay);
  if (order && isSentOn) await requireCovered(transaction, refund);
  if (order && isUnused) await requireUnused(transaction, order, isUnused);
  const isCredits = order === null;
  const state = isCredits ? "paid" : "open";
  const row = { ...refund, state, dueAt: isCredits ? null : dueSoon } as const;
  if (isRequest) await transaction.update(refunds).set(row).where(eq(refunds.refundId, refundId));
  else {
    const known = await insert(transaction, row);
    if (known) throw notOpened(known);
  }
  if (isCredits) {
    await requireRoom(transaction, refund);
    await requirePaid(transaction, refund);
    await transaction.execute(
      sql`update refunds set credits = return_credits(refund_id) where refund_id = ${refundId}`,
    );
  } else await transaction.execute(sql`select open_refund(${refundId})`);
  const opened = await findRow(transaction, refunds, { refundId });
  if (!opened) throw new Error(`Refund ${refundId} of ${orderId ?? requestKey} is gone.`);
  return { outcome: "opened", refund: opened };
}

/** Counts also those that failed once their payment was sent. */
async function requireFew(
  transaction: Orm,
  { owner, scheme }: RefundRecord,
  mostADay: number,
): Promise<void> {
  await transaction.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`refund ${owner}`}, 0))`,
  );
  const ofDay = sql`select count(*)::int from refunds r where r.owner = ${owner} and r.scheme = ${scheme} and r.order_id is not null
    and r.updated_at > app_now() - interval '1 day' and (r.state in ('open', 'paid') or r.state = 'refused'
      and exists (select 1 from account_payments p where p.payment_id = r.refund_id and p.sent is not null))`;
  const count = (await readValue<number>(rowsOf(transaction, ofDay))) ?? 0;
  if (count >= mostADay) throw notOpened({ outcome: "many", mostADay });
}

/** The builder's next sales would not cover what neither their account nor what they are owed does. */
async function requireCovered(transaction: Orm, { orderId, amount }: RefundRecord): Promise<void> {
  const cover = sql`select refund_cover(${orderId}, ${amount.toString()}::numeric)::text`;
  const left = BigInt((await readValue<string>(rowsOf(transaction, cover))) ?? 0);
  if (left < amount) throw notOpened({ outcome: "paid-out", left });
}

/**
 * Credits that come back to a balance whose time is over would expire at once, and a balance holds at most what the chain
 * can express.
 */
async function requireRoom(
  transaction: Orm,
  { account, planId, credits }: RefundRecord,
): Promise<void> {
  const [balance] = await rowsOf<{ isOver: boolean | null; isFull: boolean }>(
    transaction,
    sql`select expires_at <= app_now() as "isOver", not balance_holds(account, plan_id, ${credits.toString()}::numeric) as "isFull"
      from balances where account = ${account} and plan_id = ${planId} for no key update`,
  );
  if (balance?.isOver) throw notOpened({ outcome: "expired" });
  if (balance?.isFull) throw notOpened({ outcome: "full" });
}

/** Whether the refund was requested; one that was answered, or made under the same key, is not opened again. */
async function takeRequest(
  transaction: Orm,
  { refundId, idempotencyKey }: RefundRecord,
): Promise<boolean> {
  const [known] = await transaction
    .select()
    .from(refunds)
    .where(eq(refunds.refundId, refundId))
    .for("update");
  if (!known) {
    const same = await findSame(transaction, idempotencyKey);
    if (same) throw notOpened(same);
    return false;
  }
  if (known.state === "requested") return true;
  throw notOpened({ outcome: "decided", refund: known });
}

/** What the refund leaves of an order. */
async function requireLeft(transaction: Orm, order: OrderRecord, amount: bigint): Promise<bigint> {
  if (order.failureCode === "disputed") throw notOpened({ outcome: "disputed" });
  const isPaid = order.status === "minted" || order.status === "refunded";
  if (!isPaid || order.price === 0n) throw notOpened({ outcome: "unpaid" });
  const left = await leftOf(transaction, order.orderId);
  if (amount < 1n || amount > left) throw notOpened({ outcome: "too-much", left });
  return left - amount;
}

/** Credits of a call come back while anything is left of what was paid for them. */
async function requirePaid(transaction: Orm, { requestKey }: RefundRecord): Promise<void> {
  const call = rowsOf(transaction, sql`select is_call_refunded(${requestKey}, '')`);
  if (await readValue<boolean>(call)) throw notOpened({ outcome: "too-much", left: 0n });
}

/** Two refunds of one balance must not both count its last credits. */
async function requireUnused(
  transaction: Orm,
  { orderId, account, planId }: OrderRecord,
  isUnused: (now: Refundable) => boolean,
): Promise<void> {
  await transaction.execute(
    sql`select 1 from balances where account = ${account} and plan_id = ${planId} for no key update`,
  );
  const now = await findRefundable(transaction, orderId);
  if (!now || !isUnused(now)) throw notOpened({ outcome: "used" });
}

async function leftOf(transaction: Orm, orderId: string): Promise<bigint> {
  const left = sql`select price - reversed_amount - refunded_of(order_id, '') from orders where order_id = ${orderId}`;
  return BigInt((await readValue<string>(rowsOf(transaction, left))) ?? 0);
}

type NewRow = PgInsertValue<typeof refunds> &
  Pick<typeof refunds.$inferInsert, "state" | "orderId" | "requestKey" | "idempotencyKey">;

/** Inserts the refund; or what prevents it. */
async function insert(transaction: Orm, refund: NewRow): Promise<RefundOpening | null> {
  const [row] = await transaction
    .insert(refunds)
    .values(refund)
    .onConflictDoNothing()
    .returning({ refundId: refunds.refundId });
  if (row) return null;
  const { idempotencyKey = null, requestKey, orderId } = refund;
  const same = await findSame(transaction, idempotencyKey);
  if (same) return same;
  const isOfSame = requestKey
    ? eq(refunds.requestKey, requestKey)
    : eq(refunds.orderId, orderId ?? "");
  const asked = await findRow(transaction, refunds, and(eq(refunds.state, "requested"), isOfSame));
  if (asked && refund.state === "requested") return { outcome: "requested", refund: asked };
  return { outcome: "call-refunded" };
}

async function findSame(transaction: Orm, key: string | null): Promise<RefundOpening | null> {
  const same = key && (await findRow(transaction, refunds, { idempotencyKey: key }));
  return same ? { outcome: "existing", refund: same } : null;
}

/** Writes a refund of the processor's dashboard, as far as the order has money left. */
async function adopt(
  transaction: Orm,
  order: OrderRecord,
  found: Parameters<Refunds["adopt"]>[1],
): Promise<void> {
  const left = await leftOf(transaction, order.orderId);
  const amount = least(found.amount, left);
  if (amount < 1n) return;
  const plan = await findRow(transaction, plans, { planId: order.planId });
  if (!plan) return;
  const { refundId } = found;
  const { orderId, account, planId } = order;
  const subject = { refundId, orderId, requestKey: null, account, planId, amount };
  const known = await insert(transaction, {
    ...subject,
    owner: plan.owner,
    scheme: order.scheme,
    currency: order.currency,
    credits: 0n,
    state: found.state === "paid" ? "paid" : "open",
    madeBy: "processor",
    fingerprint: "",
    reference: found.reference,
    createdAt: databaseNow,
    updatedAt: databaseNow,
    dueAt: found.state === "paid" ? null : dueSoon,
  });
  if (known) return;
  await endRequests(transaction, subject, left - amount);
  await transaction.execute(sql`select open_refund(${refundId})`);
}

/** Locks a refund and, first, its order, as every change of both does. */
async function lockRefund(transaction: Orm, refundId: string) {
  const refund = await findRow(transaction, refunds, { refundId });
  if (!refund?.orderId) throw new Error(`Refund ${refundId} has no order.`);
  await lockOrder(transaction, refund.orderId);
  const [now] = await transaction
    .select()
    .from(refunds)
    .where(eq(refunds.refundId, refundId))
    .for("update");
  return now ?? refund;
}
