import { type OrderReceipt, PaymentsError } from "@turnpike/payments/protocol";
import type { Ports } from "../ports.ts";
import type { OrderRecord } from "../records.ts";
import type { PaidOrder } from "./order-ports.ts";
import { CONFIRM_WITHIN_SECS } from "./resolve-orders.ts";

/** An order for its own account: its status, what went wrong, what to do, and how to confirm it. */
export async function receiptOf(ports: Ports, paid: PaidOrder): Promise<OrderReceipt> {
  const { order, balance } = paid;
  const { orderId, status, failureCode, reference } = order;
  const isMinted = status === "minted";
  const message = order.failureMessage ?? UNFINISHED[status];
  const nextStep = order.failureNextStep;
  return {
    success: isMinted,
    orderId,
    status,
    ...(reference && { txHash: reference }),
    ...(balance !== undefined && { balance }),
    ...(!isMinted && {
      ...(failureCode && { code: failureCode }),
      ...(message && { message }),
      ...(nextStep && { nextStep }),
    }),
    ...(status === "requires_action" && (await confirmationOf(ports, order))),
  };
}

/** The order, or `payment_refused` with its reason and next step when it was declined. */
export function requirePaid(paid: PaidOrder): PaidOrder {
  const { status, failureCode, failureMessage, failureNextStep } = paid.order;
  if (status !== "declined") return paid;
  throw new PaymentsError("payment_refused", failureMessage ?? "The payment was refused.", {
    details: [{ path: "order", message: failureCode ?? "declined" }],
    ...(failureNextStep && { hint: failureNextStep }),
  });
}

async function confirmationOf(
  { rails, log }: Ports,
  order: OrderRecord,
): Promise<Pick<OrderReceipt, "confirmBy" | "confirmation">> {
  const rail = rails.find(order.scheme);
  const confirmBy = new Date(order.createdAt.getTime() + CONFIRM_WITHIN_SECS * 1000).toISOString();
  try {
    const confirmation = await rail?.confirmationOf?.(order);
    return { confirmBy, ...(confirmation && { confirmation }) };
  } catch (cause) {
    log.warn({ orderId: order.orderId, cause: String(cause) }, "confirmation could not be read");
    return { confirmBy };
  }
}

const UNFINISHED: Partial<Record<OrderRecord["status"], string>> = {
  reserved: "The order is being paid.",
  charging: "The payment's outcome is not known yet. Check this order again; do not pay again.",
  requires_action: "The payment needs your confirmation.",
  refunded: "The order was refunded.",
};
