import type { OrderStatus } from "@turnpike/payments/protocol";
import { readRefunds } from "../money/read-refunds.ts";
import type { Ports } from "../ports.ts";
import type { AuditNote, OrderRecord } from "../records.ts";
import { followTransfer } from "./follow-transfer.ts";
import type { ChargeOutcome, PaidOrder } from "./order-ports.ts";

/** What can be found of a payment: `waiting` for its holder, `none` when none was made. */
type Finding = "paid" | "returned" | "waiting" | "refused" | "none";
type Step = "mint" | "wait" | "decline" | "refund" | "repaid" | "reverse" | "reinstate" | "nothing";

const OPEN: Record<Finding, Step> = {
  paid: "mint",
  returned: "decline",
  waiting: "wait",
  refused: "decline",
  none: "nothing",
};
const ENDED: Record<Finding, Step> = {
  paid: "nothing",
  returned: "nothing",
  waiting: "nothing",
  refused: "nothing",
  none: "nothing",
};

/** What an order does next, by its status and what is known about its payment. Every transition is listed here. */
const STEPS: Record<OrderStatus, Record<Finding, Step>> = {
  reserved: OPEN,
  charging: OPEN,
  requires_action: OPEN,
  // Its reservation was released: a payment that arrives later is refunded. Once it went back, by a person too, none is owed.
  declined: { ...ENDED, paid: "refund", returned: "repaid" },
  minted: { ...ENDED, returned: "reverse" },
  refunded: { ...ENDED, paid: "reinstate", returned: "reverse" },
};

/**
 * Moves an order to the status its payment calls for; `outcome` is null when no payment was made. Repeats and other
 * replicas reach the same result, because each step writes under the order's lock and does nothing the second time.
 */
export async function applyOutcome(
  ports: Ports,
  order: OrderRecord,
  outcome: ChargeOutcome | null,
): Promise<PaidOrder> {
  const step = STEPS[order.status][findingOf(outcome)];
  const { orderId } = order;
  let balance: bigint | undefined;
  if (outcome && outcome.status !== "refused") await readNews(ports, order, outcome);
  if (outcome?.status === "paid") {
    if (step === "mint") balance = await mint(ports, order, outcome);
    if (step === "refund") await refundOrder(ports, order);
    if (step === "reinstate") {
      await ports.orders.reinstate(orderId, noteOf(order, "order.reinstate"));
    }
  } else if (outcome) {
    if (step === "wait") await ports.orders.decline(orderId, "requires_action", outcome);
    const next = { isDue: outcome.status === "returned" && maySendOn(ports, order) };
    if (step === "decline") await ports.orders.decline(orderId, "declined", outcome, next);
    if (step === "repaid") await ports.orders.closeReturned(orderId, next);
    if (step === "reverse") {
      const revokes = outcome.code === "disputed";
      const audit = noteOf(order, "order.reverse");
      await ports.orders.reverse(orderId, outcome, { revokes, audit });
      ports.log.warn({ orderId, code: outcome.code }, "payment reversed, credits taken back");
      await followTransfer(ports, order);
    }
  }
  const now = await ports.orders.find(orderId);
  return { order: now ?? order, ...(balance !== undefined && { balance }) };
}

/** Disputes and refunds of a payment are written as they are found; a dispute that was won first frees the order. */
async function readNews(
  ports: Ports,
  order: OrderRecord,
  outcome: Extract<ChargeOutcome, { status: "paid" | "returned" }>,
): Promise<void> {
  if (order.status !== "minted" && order.status !== "refunded") return;
  for (const dispute of outcome.disputes ?? []) await ports.disputes.write(order, dispute);
  const isFree = outcome.status === "paid" || outcome.code !== "disputed";
  if (isFree && order.failureCode === "disputed") {
    await ports.orders.reinstate(order.orderId, noteOf(order, "order.reinstate"));
  }
  await readRefunds(ports, order, outcome.hasRefunds === true);
}

function findingOf(outcome: ChargeOutcome | null): Finding {
  if (!outcome) return "none";
  return outcome.status === "refused" && outcome.requiresAction ? "waiting" : outcome.status;
}

/** Grants the credits; an order that was declined meanwhile refunds the payment instead. */
async function mint(
  ports: Ports,
  order: OrderRecord,
  payment: Extract<ChargeOutcome, { status: "paid" }>,
): Promise<bigint | undefined> {
  const isCollected = ports.rails.find(order.scheme)?.collects ?? false;
  const minted = await ports.orders.mint(order.orderId, { ...payment, isCollected });
  if (minted.outcome === "minted") return minted.balance;
  await refundOrder(ports, order);
  return undefined;
}

/**
 * Refunds a declined order's payment. That the refund is owed is written first, so that after a crash the same refund
 * is asked for again.
 */
export async function refundOrder(ports: Ports, order: OrderRecord): Promise<void> {
  const { orderId } = order;
  await ports.orders.oweRefund(orderId);
  const rail = ports.rails.find(order.scheme);
  if (!rail?.refund) {
    ports.log.error({ orderId }, "a declined order was paid, and its rail cannot refund it");
    return;
  }
  try {
    const outcome = await rail.refund(order);
    if (outcome.status !== "refused") {
      const reference = "reference" in outcome ? outcome.reference : null;
      await ports.orders.closeRefund(orderId, "done", reference);
      return;
    }
    const { code } = outcome;
    const isBack = code === "charge_already_refunded" || code === "charge_disputed";
    if (isBack) return ports.orders.closeReturned(orderId, { isDue: maySendOn(ports, order) });
    await ports.orders.closeRefund(orderId, "refused", null);
    ports.log.error({ orderId, code }, "a refund was refused: refund it by hand");
  } catch (cause) {
    ports.log.warn({ orderId, cause: String(cause) }, "refund outcome unknown");
  }
}

/** Whether the builder may have a declined order's money, which is theirs in no case: it is looked at until they have none. */
const maySendOn = ({ rails }: Ports, { scheme }: OrderRecord): boolean =>
  rails.find(scheme)?.takeBackTransfer !== undefined;

const noteOf = ({ account, orderId }: OrderRecord, action: string): AuditNote => ({
  account,
  keyId: null,
  action,
  subject: orderId,
  requestId: "payment",
});
