import type { MoneyStatus, RequestRecord } from "@turnpike/payments/protocol";
import { cn } from "../../ui/cn.ts";
import { isUnderWay } from "../request-state.ts";

const PHASES = ["challenge", "payment", "work", "settlement"];

/** The last phase that a request reached, and the color of its cell. */
const REACHED: Record<MoneyStatus, readonly [phase: number, color: string]> = {
  challenged: [0, "bg-challenged"],
  refused: [1, "bg-refused"],
  free: [2, "bg-ink"],
  "not-charged": [2, "bg-ink"],
  "delivered-unsettled": [3, "bg-unsettled"],
  unknown: [3, "bg-unsettled"],
  settled: [3, "bg-settled"],
};

/** How far a request came, in four cells. Only the last one reached carries color. */
export function PhaseStrip({ record }: { record: RequestRecord }) {
  const [last, color] = isUnderWay(record) ? [2, "bg-accent"] : REACHED[record.moneyStatus];
  return (
    <span
      role="img"
      aria-label={`Reached ${PHASES[last]}`}
      title={`Reached ${PHASES[last]}, phase ${last + 1} of 4`}
      className="inline-flex shrink-0 gap-px"
    >
      {PHASES.map((phase, index) => (
        <span
          key={phase}
          className={cn(
            "h-3 w-1.5 forced-colors:border",
            index < last && "bg-ink-2/60",
            index === last && color,
            index > last && "border border-line-control",
          )}
        />
      ))}
    </span>
  );
}
