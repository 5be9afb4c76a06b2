import type { DelegationSummary, OrderSummary } from "@turnpike/payments/protocol";
import { toMinorUnits } from "@/lib/console/minor-units.ts";
import { plural } from "@/lib/text/plural.ts";
import { exactMoney } from "../ui/values/currency-money.ts";

/** An order a delegation paid for; reserved until its outcome is known. */
export type PaidLine = {
  key: string;
  at?: string;
  text: string;
  cents: bigint;
  isReserved: boolean;
};

/** Whether it was paid in a token without a par value, which counts nothing against the limit. */
const isToken = ({ price }: OrderSummary): boolean => price.currency.startsWith("0x");

function textOf(order: OrderSummary): string {
  const { planName, creditsGranted, price } = order;
  // A time plan grants one, which says nothing.
  const credits = BigInt(creditsGranted);
  const bought = credits > 1n ? `${planName}, ${plural(credits, "credit")}` : planName;
  return isToken(order) ? `${bought} for ${exactMoney(price)}` : bought;
}

type Sums = Pick<DelegationSummary, "delegationId" | "amountSpentCents" | "amountReservedCents">;

/** The orders of a delegation, oldest first, and one line for orders not loaded: the lines add up to its sums. */
export function paidLines(delegation: Sums, orders: readonly OrderSummary[]): PaidLine[] {
  const lines = orders
    .filter(({ delegationId }) => delegationId === delegation.delegationId)
    .filter(({ status }) => status !== "declined" && status !== "refunded")
    .map((order) => ({
      key: order.orderId,
      at: order.createdAt,
      text: textOf(order),
      cents: isToken(order) ? 0n : toMinorUnits(BigInt(order.price.amount), order.price.currency),
      isReserved: order.status !== "minted",
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
