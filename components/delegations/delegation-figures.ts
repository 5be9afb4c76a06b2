import type { DelegationTotals } from "@/lib/console/delegation-totals.ts";
import { minorDigits } from "@/lib/console/minor-units.ts";
import { plural } from "@/lib/text/plural.ts";
import type { Figure } from "../ui/data/figures.tsx";
import { changeNote } from "../ui/values/change-note.ts";
import { exactMoney, moneyLines } from "../ui/values/currency-money.ts";
import { dayOf, minuteOf } from "./delegation-text.ts";

type Limit = DelegationTotals["limits"][number];

/** What all delegations together can still spend, by what they pay in. */
export const remainingLines = ({ limits }: Pick<DelegationTotals, "limits">): string[] =>
  limitLines(limits, ({ remaining }) => remaining);

const limitLines = (limits: Limit[], of: (limit: Limit) => string): string[] =>
  moneyLines(
    limits.map((limit) => ({
      currency: limit.currency,
      amount: of(limit),
      decimals: minorDigits(limit.currency),
    })),
  );

/** The figures above the list; every sum is the service's, over all delegations. */
export function figuresOf(totals: DelegationTotals): Figure[] {
  const { limits, spent30d, active, firstExpiresAt, now } = totals;
  const reserving = limits.reduce((sum, limit) => sum + limit.reserving, 0);
  return [
    {
      label: "Remaining",
      value: remainingLines(totals),
      note: plural(active, "active delegation"),
    },
    {
      label: "Reserved",
      value: limitLines(limits, ({ reserved }) => reserved),
      note: reserving === 0 ? "No orders in progress" : `In ${plural(reserving, "delegation")}`,
    },
    {
      label: "Spent, last 30 days",
      value: spent30d.length > 0 ? moneyLines(spent30d) : limitLines(limits, () => "0"),
      note: spent30d
        .flatMap(
          (money) =>
            changeNote(money, "in the 30 days before", (amount) =>
              exactMoney({ ...money, amount }),
            ) ?? [],
        )
        .join("; "),
    },
    {
      label: "First to expire",
      // The day alone fits the width of a phone's column.
      value: firstExpiresAt ? dayOf(firstExpiresAt, new Date(now)).replace(/^t/, "T") : "–",
      note: firstExpiresAt && `${minuteOf(firstExpiresAt)} UTC`,
    },
  ];
}
