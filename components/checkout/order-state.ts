import type { OrderStatus } from "@turnpike/payments/protocol";

/** The state of an order as its subscriber sees it. In `unknown` nothing may offer to pay again. */
export type OrderState =
  | "sent"
  | "processing-card"
  | "slow"
  | "unknown"
  | "needs-confirmation"
  | "confirmed"
  | "failed"
  | "refunded";

/** How long earlier orders of this kind took; absent until enough were measured. */
export type Usual = { fromMs: number; toMs: number; orders: number };

/** After this long the service stops waiting for the payment's answer, and its outcome is unknown. */
const UNKNOWN_AFTER_MS = 20_000;
const SLOW_AFTER_MS = 10_000;
const SLOW_FACTOR = 3;
const MIN_MEASURED = 5;

export function orderStateOf(
  status: OrderStatus,
  { ageMs, isCard, usual }: { ageMs: number; isCard: boolean; usual?: Usual | undefined },
): OrderState {
  switch (status) {
    case "minted":
      return "confirmed";
    case "declined":
      return "failed";
    case "refunded":
      return "refunded";
    case "requires_action":
      return "needs-confirmation";
    default: {
      if (ageMs >= UNKNOWN_AFTER_MS) return "unknown";
      const slowAfterMs = usual ? Math.max(usual.toMs * SLOW_FACTOR, 1_000) : SLOW_AFTER_MS;
      if (ageMs >= slowAfterMs) return "slow";
      return isCard ? "processing-card" : "sent";
    }
  }
}

export const hasEnded = (state: OrderState): boolean =>
  state === "confirmed" || state === "failed" || state === "refunded";

/** Whether an order is in progress, which also blocks another order of its plan. */
export const isOpen = (status: OrderStatus): boolean =>
  status === "reserved" || status === "charging" || status === "requires_action";

type Timed = { createdAt: string; chargedAt?: string | undefined; status: OrderStatus };

/** The usual duration: from the 10th to the 90th percentile of confirmed orders. */
export function measureUsual(orders: readonly Timed[]): Usual | undefined {
  const spans = orders
    .filter(({ status }) => status === "minted")
    .map(({ createdAt, chargedAt = "" }) => Date.parse(chargedAt) - Date.parse(createdAt))
    .filter((span) => span >= 0)
    .sort((a, b) => a - b);
  if (spans.length < MIN_MEASURED) return undefined;
  const at = (share: number) => spans[Math.floor((spans.length - 1) * share)] ?? 0;
  return { fromMs: at(0.1), toMs: at(0.9), orders: spans.length };
}

/** The delay before the next poll: short at first, long while the page is hidden, none after ten minutes. */
export function pollDelayMs(polls: number, isHidden: boolean): number | false {
  if (isHidden) return 15_000;
  if (polls < 10) return 1_000;
  if (polls < 30) return 2_000;
  return polls < 140 ? 5_000 : false;
}

/** Why the payment was declined, without the advice that follows it. */
export function declineTitle(
  message: string,
  nextStep: string | undefined,
  isCard: boolean,
): string {
  const reason = nextStep ? message.replace(nextStep, "").trim() : message;
  if (!isCard) return reason;
  const isBare = /^The card was declined\.?$/.test(reason);
  return isBare ? "Your bank declined the card." : `Your bank declined the card: ${reason}`;
}
