import { PaymentsError } from "@turnpike/payments/protocol";
import type { Ports } from "../ports.ts";
import type { OrderRecord } from "../records.ts";

/**
 * What became of the session of a link, and whether the link has ended; those of earlier releases have no end. It is not signed: it
 * keeps a person from paying by a link that was replaced, and who changes it only buys for their own account, as without a link.
 */
export async function findLinkedSession(
  ports: Pick<Ports, "orders" | "clock">,
  who: Pick<OrderRecord, "account" | "planId">,
  { session, ends = "Infinity" }: { session: string; ends: string | undefined },
): Promise<CheckoutSession & { isExpired: boolean }> {
  const [found, now] = await Promise.all([
    findCheckoutSession(ports, who, session),
    ports.clock.now(),
  ]);
  return { ...found, isExpired: Number(ends) <= now.getTime() };
}

/** How a checkout session stands: its order, unless that was declined, and the key that its next order has. */
type CheckoutSession = { order: OrderRecord | null; nextKey: string };

/**
 * Finds what a checkout session ordered. It pays once: its id is its order's key, and only a declined order is followed by
 * another one, with another card. Throws `idempotency_conflict` for a session of another plan.
 */
export async function findCheckoutSession(
  { orders }: Pick<Ports, "orders">,
  { account, planId }: Pick<OrderRecord, "account" | "planId">,
  sessionId: string,
): Promise<CheckoutSession> {
  for (let count = 1; ; count++) {
    const nextKey = count === 1 ? sessionId : `${sessionId}/${count}`;
    const order = await orders.findByKey(account, nextKey);
    if (order && order.planId !== planId) {
      throw new PaymentsError(
        "idempotency_conflict",
        "This Idempotency-Key was used for the order of another plan.",
      );
    }
    if (order?.status !== "declined") return { order, nextKey };
  }
}
