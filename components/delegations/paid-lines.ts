import type { DelegationSummary, OrderSummary } from "@turnpike/payments/protocol";
import { toMinorUnits } from "@/lib/console/minor-units.ts";

/** An order a delegation paid for; reserved until its outcome is known. */
export type PaidLine = {
  key: string;
  at?: string;
  text: string;
  cents: bigint;
  isReserved: boolean;
};

type Sums = Pick<DelegationSummary, "delegationId" | "amountSpentCents" | "amountReservedCents">;

/** The orders of a delegation, oldest first, and one line for orders not loaded: the lines add up to its sums. */
export function paidLines(delegation: Sums, orders: readonly OrderSummary[]): PaidLine[] {
  const lines = orders
    .filter(({ delegationId }) => delegationId === delegation.delegationId)
    .filter(({ status }) => status !== "declined" && status !== "refunded")
    .map(({ orderId, createdAt, planName, creditsGranted, price, status }) => ({
      key: orderId,
      at: createdAt,
      text: BigInt(creditsGranted) > 0n ? `${planName}, ${creditsGranted} credits` : planName,
      cents: price.decimals === undefined ? 0n : toMinorUnits(BigInt(price.amount), price.currency),
      isReserved: status !== "minted",
    }))
    .reverse();
  const sum = (isReserved: boolean) =>
    lines
      .filter((line) => line.isReserved === isReserved)
      .reduce((all, { cents }) => all + cents, 0n);
  const spentElse = BigInt(delegation.amountSpentCents) - sum(false);
  const reservedElse = BigInt(delegation.amountReservedCents) - sum(true);
  const others: PaidLine[] = [];
  if (spentElse !== 0n) {
    others.push({ key: "earlier", text: "Other orders", cents: spentElse, isReserved: false });
  }
  if (reservedElse !== 0n) {
    others.push({ key: "reserved", text: "Other orders", cents: reservedElse, isReserved: true });
  }
  return [...others, ...lines];
}
