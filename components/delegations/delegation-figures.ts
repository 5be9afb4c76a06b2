import type { DelegationSummary } from "@turnpike/payments/protocol";
import { DAY_MS } from "@/lib/text/durations.ts";
import { plural } from "@/lib/text/plural.ts";
import { toCents } from "../checkout/plan-price.ts";
import { moneyText } from "../ui/values/money-text.ts";
import { momentText } from "./delegation-text.ts";

const CENTS = 2;

type PaidOrder = {
  delegationId?: string | undefined;
  createdAt: string;
  price: { amount: string; decimals?: number | undefined; currency: string };
};

/** The figures above the list: what can still be spent, what was spent, what expires soon. */
export function figuresOf(live: DelegationSummary[], orders: PaidOrder[], now: Date) {
  const active = live.filter(({ status }) => status === "Active");
  const since = now.getTime() - 30 * DAY_MS;
  const paid = orders.filter(
    ({ delegationId, createdAt }) => delegationId && Date.parse(createdAt) >= since,
  );
  const spent = paid.map(({ price }) => ({
    currency: price.currency,
    cents: price.decimals === undefined ? 0n : toCents(BigInt(price.amount), price.decimals),
  }));
  const soon = active.filter(
    ({ expiresAt }) => Date.parse(expiresAt) - now.getTime() <= 7 * DAY_MS,
  );
  const [first] = soon;
  const inFlight = active.filter(({ amountReservedCents }) => BigInt(amountReservedCents) > 0n);
  return [
    {
      label: "Remaining",
      value: sumText(
        active.map((each) => ({
          currency: each.currency,
          cents: BigInt(each.remainingBudgetCents),
        })),
      ),
      note: plural(active.length, "active delegation"),
    },
    {
      label: "Reserved",
      value: sumText(
        active.map((each) => ({
          currency: each.currency,
          cents: BigInt(each.amountReservedCents),
        })),
      ),
      note:
        inFlight.length === 0
          ? "No orders in progress"
          : `In ${plural(inFlight.length, "delegation")}`,
    },
    {
      label: "Spent, last 30 days",
      value: sumText(spent),
      note: plural(spent.length, "charge"),
    },
    {
      label: "Expiring within 7 days",
      value: String(soon.length),
      note: first ? `First: ${momentText(first.expiresAt, now)} UTC` : "None",
    },
  ];
}

/** Sums by currency: `$12.00`, `$12.00 + €3.00`. */
function sumText(amounts: { currency: string; cents: bigint }[]): string {
  const sums = new Map<string, bigint>();
  for (const { currency, cents } of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + cents);
  const texts = [...sums]
    .filter(([, cents]) => cents > 0n)
    .map(([currency, cents]) => moneyText(cents, CENTS, currency));
  return texts.join(" + ") || moneyText(0n, CENTS, [...sums.keys()][0] ?? "usd");
}
