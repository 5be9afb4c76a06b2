import type { MoneyCheck } from "@/lib/console/money.ts";
import { Icon } from "../ui/icon.tsx";
import { currencyMoney } from "../ui/values/currency-money.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";

/** The ledger beside the chain and the processor, with the difference and when it was compared. */
export function CheckStrip({ check }: { check: MoneyCheck }) {
  const { items, checkedAt } = check;
  if (items.length === 0) return null;
  const isEven = items.every(({ difference }) => difference === "0");
  const isProcessor = ({ where }: (typeof items)[number]) => where === "processor";
  const places = [
    !items.every(isProcessor) && "the chain",
    items.some(isProcessor) && "the processor",
  ].filter(Boolean);
  return (
    <section
      aria-label="Comparison with chain and processor"
      data-difference={isEven ? "0" : "other"}
      className="mt-4 flex flex-wrap items-center gap-x-6 gap-y-2 rounded-card border border-line bg-surface px-4 py-3 text-note"
    >
      <p className="flex flex-wrap items-center gap-x-2 font-medium">
        <Icon
          name={isEven ? "check" : "alert"}
          className={`size-4 ${isEven ? "text-settled" : "text-unsettled"}`}
        />
        {isEven ? `Ledger matches ${places.join(" and ")}` : "Differs"}
        <span className="font-normal text-ink-2">
          checked <TimeAgo at={checkedAt} form="clock" /> UTC
        </span>
      </p>
      {items.map(({ currency, where, ledger, outside, difference }) => (
        <p key={`${currency} ${where}`} className="flex flex-wrap gap-x-4 tabular-nums">
          <span>
            <span className="text-ink-2">Ledger:</span> {currencyMoney(ledger, currency)}
          </span>
          <span>
            <span className="text-ink-2">
              {where === "processor" ? "Processor, paid out:" : `Chain, ${where}:`}
            </span>{" "}
            {currencyMoney(outside, currency)}
          </span>
          {difference !== "0" && (
            <span>
              <span className="text-ink-2">Difference:</span> {currencyMoney(difference, currency)}.
              It returns to 0 once transfers in progress reach both.
            </span>
          )}
        </p>
      ))}
    </section>
  );
}
