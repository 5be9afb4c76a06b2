import { type ReactNode, useId } from "react";
import { minorText } from "../values/money-text.ts";
import { type MeterLimits, type MeterShare, measureMeter, shareText } from "./meter-facts.ts";

const MARKS = [50, 80, 95];

export type MeterProps = MeterLimits & {
  /** Whose limits these are, for screen readers. */
  label: string;
  currency: string;
  /** The page's clock, ISO 8601. */
  now: string;
  /** Drawn in grey as it can no longer spend; shown instead of what is left. */
  stopped?: string;
};

/**
 * The three limits of a delegation: the bar is the amount, the thin lines are count and time. The limit that is
 * reached first is bold. Uses SVG attributes: the security policy forbids style attributes.
 */
export function Meter({ label, currency, now, stopped, ...limits }: MeterProps) {
  const facts = measureMeter(limits, new Date(now));
  const { count, time, nearest } = facts;
  const money = (cents: bigint) => minorText(cents, currency);
  const limit = money(limits.spendingLimitCents);
  const spent = money(limits.amountSpentCents);
  const left = money(facts.remainingCents);
  const reserved =
    limits.amountReservedCents > 0n ? `, ${money(limits.amountReservedCents)} reserved` : "";
  return (
    <div className="grid min-w-0 gap-1.25 tabular-nums">
      {limits.spendingLimitCents > 0n ? (
        <>
          <div className="flex flex-wrap justify-between gap-x-3 whitespace-nowrap text-note">
            {!stopped && (
              <span>
                <b className="font-semibold">{left}</b> left
              </span>
            )}
            <span className="text-ink-2">
              {shareText(spent, limit)} spent
              {stopped && reserved}
            </span>
          </div>
          {/* biome-ignore lint/a11y/useSemanticElements: <meter> draws one bar, without what is reserved. */}
          <div
            role="meter"
            aria-label={`${label}: spent`}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={facts.spent.percent}
            aria-valuetext={`${spent} spent${reserved}${stopped ? "" : `, ${left} left`} of ${limit}`}
          >
            <Bar
              spent={facts.spent}
              reservedPercent={facts.reservedPercent}
              isStopped={stopped !== undefined}
            />
          </div>
        </>
      ) : (
        <p className="text-note">Spends no {currency}. Free plans need none.</p>
      )}
      {(count || time || stopped) && (
        <div className="grid auto-cols-fr grid-flow-col gap-3 text-ink-2 text-small">
          {count && <Thin share={count} isNearest={!stopped && nearest === "count"} />}
          {(time || stopped) && (
            <Thin
              share={{ percent: 100, tone: "plain", ...time, text: stopped ?? time?.text ?? "" }}
              isNearest={!stopped && nearest === "time"}
            />
          )}
        </div>
      )}
    </div>
  );
}

type BarProps = { spent: MeterShare; reservedPercent: number; isStopped: boolean };

const FILLS = { plain: "fill-ink/82", warn: "fill-unsettled", full: "fill-refused" } as const;

function Bar({ spent, reservedPercent, isStopped }: BarProps) {
  const pattern = useId();
  return (
    <svg
      aria-hidden="true"
      data-rule
      className="block h-2 w-full overflow-hidden rounded-[2px] bg-ink-2/22 shadow-[inset_0_0_0_1px_var(--line)] rtl:-scale-x-100"
    >
      <ReservedPattern id={pattern} />
      <rect
        width={`${spent.percent}%`}
        height="8"
        className={isStopped ? "fill-ink-2/50" : FILLS[spent.tone]}
      />
      {reservedPercent > 0 && (
        <rect
          x={`${spent.percent}%`}
          width={`${reservedPercent}%`}
          height="8"
          fill={`url(#${pattern})`}
        />
      )}
      {MARKS.map((mark) => (
        <rect key={mark} x={`${mark}%`} width="1" height="8" className="fill-surface/90" />
      ))}
    </svg>
  );
}

function ReservedPattern({ id }: { id: string }) {
  return (
    <defs>
      <pattern
        id={id}
        width="4"
        height="4"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="2" height="4" className="fill-ink/55" />
      </pattern>
    </defs>
  );
}

function Thin({ share, isNearest }: { share: MeterShare & { text: string }; isNearest: boolean }) {
  const fill = !isNearest ? "fill-ink-2" : share.tone === "warn" ? "fill-unsettled" : "fill-ink";
  return (
    <div className="grid content-start gap-0.75">
      <svg aria-hidden="true" data-rule className="block h-0.75 w-full rtl:-scale-x-100">
        <rect width="100%" height="2" className="fill-ink-2/22" />
        <rect width={`${share.percent}%`} height={isNearest ? 3 : 2} className={fill} />
      </svg>
      <span className={isNearest ? "font-semibold text-ink" : undefined}>{share.text}</span>
    </div>
  );
}

/** Explains the meter; show it once for a list. */
export function MeterLegend() {
  const pattern = useId();
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-ink-2 text-small">
      <LegendItem text="Spent">
        <rect width="12" height="8" className="fill-ink/82" />
      </LegendItem>
      <LegendItem text="Reserved, outcome pending">
        <ReservedPattern id={pattern} />
        <rect width="12" height="8" fill={`url(#${pattern})`} className="stroke-line" />
      </LegendItem>
      <LegendItem text="Left">
        <rect width="12" height="8" className="fill-ink-2/22 stroke-line" />
      </LegendItem>
      <li>Bold count or time: reached first</li>
    </ul>
  );
}

function LegendItem({ text, children }: { text: string; children: ReactNode }) {
  return (
    <li className="flex items-center gap-1.5">
      <svg aria-hidden="true" data-rule className="h-2 w-3 rounded-[1px]">
        {children}
      </svg>
      {text}
    </li>
  );
}
