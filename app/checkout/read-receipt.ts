import "server-only";
import { type OrderReceipt, PaymentsError } from "@turnpike/payments/protocol";
import { read } from "../_session/operations.ts";

/** The receipt of an order. A declined order answers with an error, which is its state. */
export async function readReceipt(orderId: string): Promise<OrderReceipt> {
  try {
    return await read("getOrder", { orderId });
  } catch (cause) {
    if (!PaymentsError.is(cause) || cause.code !== "payment_refused") throw cause;
    const { message, details, hint } = cause;
    const code = details?.[0]?.message ?? "declined";
    return { success: false, orderId, status: "declined", code, message, nextStep: hint };
  }
}
