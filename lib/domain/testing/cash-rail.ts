import { toQuote } from "../orders/money.ts";
import type { ChargeOutcome, RefundOutcome } from "../orders/order-ports.ts";
import type { Rail, RailTerms } from "../rails/rail.ts";
import type { OrderRecord } from "../records.ts";

/** How a cash payment ends: paid, refused, or without an answer, after which its outcome is unknown. */
export type Ending = "pay" | "refuse" | "lose the answer" | "lose the request";

export type CashRail = Rail & {
  /** What the next payments do. */
  setEnding: (ending: Ending) => void;
  /** Every order that was paid, oldest first: an order is paid at most once, however often it is charged. */
  paid: () => OrderRecord[];
  /** How often a charge was asked for, repeats included. */
  charges: () => number;
};

/** Prices in the currency CASH, handed over the counter. */
export const cashTerms: RailTerms = {
  scheme: "svc:cash",
  network: "counter",
  delegationProvider: "cash",
  takes: ({ currency }) => currency === "CASH",
  quote: (price) => toQuote(price, "cash"),
  findPriceFault: ({ amounts }) =>
    amounts.every((amount) => amount % 1_000_000n === 0n) ? null : "Cash comes in whole coins.",
  payTo: () => "counter",
  receiptId: (settlementId) => `slip_${settlementId}`,
  needsOwnerSignature: false,
  usesPaymentMethods: false,
  collects: true,
};

/**
 * A rail that moves pretend cash, by the terms given. Like a real one it pays an order once, however often it is
 * charged, and may lose the answer to a payment it made.
 */
export function createCashRail(
  terms: RailTerms = cashTerms,
  options: { delayMs?: () => number } = {},
): CashRail {
  const paid = new Map<string, OrderRecord>();
  const refunded = new Set<string>();
  let ending: Ending = "pay";
  let charges = 0;
  return {
    ...terms,
    setEnding: (next) => {
      ending = next;
    },
    paid: () => [...paid.values()],
    charges: () => charges,
    async charge(order): Promise<ChargeOutcome> {
      charges += 1;
      const mode = ending;
      if (options.delayMs) await new Promise((wake) => setTimeout(wake, options.delayMs?.()));
      const known = paid.has(order.orderId);
      if (mode === "refuse" && !known) {
        return { status: "refused", code: "no_cash", message: "The pocket is empty." };
      }
      if (mode === "lose the request" && !known) throw new Error("The request was lost.");
      paid.set(order.orderId, order);
      if (mode === "lose the answer") throw new Error("The response was lost.");
      return { status: "paid", reference: `cash_${order.orderId}` };
    },
    async lookUp({ orderId }): Promise<ChargeOutcome | null> {
      if (!paid.has(orderId)) return null;
      if (!refunded.has(orderId)) return { status: "paid", reference: `cash_${orderId}` };
      return { status: "returned", code: "refunded", message: "The cash was handed back." };
    },
    async refund({ orderId }): Promise<RefundOutcome> {
      if (!paid.has(orderId)) return { status: "not-charged" };
      refunded.add(orderId);
      return { status: "refunded", reference: `back_${orderId}` };
    },
    refundPart: async (_order, { refundId }) => ({
      status: "refunded",
      reference: `back_${refundId}`,
    }),
    submitEvidence: async () => {},
    signers: () => ({ pattern: "*", addresses: [] }),
    isHealthy: async () => true,
  };
}
