import type { DelegationTotals } from "@/lib/console/delegation-totals.ts";
import { plural } from "@/lib/text/plural.ts";
import type { Figure } from "../ui/data/figures.tsx";
import { changeNote } from "../ui/values/change-note.ts";
import { exactMoney } from "../ui/values/currency-money.ts";
import { minorText } from "../ui/values/money-text.ts";
import { momentText } from "./delegation-text.ts";

type Limit = DelegationTotals["limits"][number];

/** What all delegations together can still spend, by what they pay in: `12.00 USDC and 3.00 USD`. */
export const remainingText = ({ limits }: Pick<DelegationTotals, "limits">): string =>
  centsOf(limits, ({ remaining }) => remaining);

function centsOf(limits: Limit[], of: (limit: Limit) => string): string {
  const some = limits.filter((limit) => of(limit) !== "0");
  return (
    (some.length > 0 ? some : limits)
      .map((limit) => minorText(of(limit), limit.currency, { withCode: true }))
      .join(" and ") || "0"
  );
}

/** The figures above the list; every sum is the service's, over all delegations. */
export function figuresOf(totals: DelegationTotals): Figure[] {
  const { limits, spent30d, active, firstExpiresAt, now } = totals;
  const reserving = limits.reduce((sum, limit) => sum + limit.reserving, 0);
  const some = spent30d.filter(({ orders }) => orders > 0);
  const spent = (some.length > 0 ? some : spent30d).map(exactMoney).join(" and ");
  return [
    {
      label: "Remaining",
      value: remainingText(totals),
      note: plural(active, "active delegation"),
    },
    {
      label: "Reserved",
      value: centsOf(limits, ({ reserved }) => reserved),
      note: reserving === 0 ? "No orders in progress" : `In ${plural(reserving, "delegation")}`,
    },
    {
      label: "Spent, last 30 days",
      value: spent || centsOf(limits, () => "0"),
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
      value: firstExpiresAt ? momentText(firstExpiresAt, new Date(now)).replace(/^t/, "T") : "None",
      note: firstExpiresAt && "UTC",
    },
  ];
}
