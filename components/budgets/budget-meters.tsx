import type { Budgets } from "@turnpike/payments/protocol";
import { ShareBar } from "../ui/data/share-bar.tsx";
import { amountIn, forecastText, type Limit, momentOf, nameOfLimit } from "./budget-text.ts";

/** How much of each limit is used, when it resets, and what will happen at this rate. */
export function BudgetMeters({ budgets }: { budgets: Budgets }) {
  const { limits, currency } = budgets;
  if (limits.length === 0) return <p className="text-ink-2">No limits. Add one below.</p>;
  return (
    <ul className="grid gap-4">
      {limits.map((limit, index) => (
        // Limits have no ids, and several may be alike.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole.
        <Meter key={index} limit={limit} currency={currency} />
      ))}
    </ul>
  );
}

function Meter({ limit, currency }: { limit: Limit; currency: string }) {
  const isCall = limit.period === "call";
  const percent = shareOf(limit);
  const forecast = forecastText(limit, currency);
  return (
    <li className="grid gap-1">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">{nameOfLimit(limit)}</span>
        <span className="tabular-nums">
          {isCall ? (
            <>At most {amountIn(limit, limit.limit, currency)}</>
          ) : (
            <>
              <b>{amountIn(limit, limit.used, currency)}</b> of{" "}
              {amountIn(limit, limit.limit, currency)}
            </>
          )}
        </span>
      </div>
      {!isCall && (
        <ShareBar
          percent={percent}
          className={`rounded-[2px] bg-ink-2/22 ${percent >= 80 ? "text-unsettled" : "text-accent"}`}
        />
      )}
      <div className="flex flex-wrap justify-between gap-x-4 text-ink-2 text-note">
        <span>{limit.resetsAt && `Resets ${momentOf(limit.resetsAt)}`}</span>
        <span>{forecast}</span>
      </div>
    </li>
  );
}

function shareOf({ used, limit }: Limit): number {
  const whole = BigInt(limit);
  if (whole === 0n) return 100;
  const percent = Number((BigInt(used) * 100n) / whole);
  return Math.min(percent, 100);
}
