import { groupThousands } from "@/lib/text/plural.ts";
import { groupDigits } from "../values/money-text.ts";

/** One place of the horizontal axis: its name, and a value for each series. */
export type ChartPoint = {
  /** Under the bar: "14:00". */
  label: string;
  /** On the axis in place of the label; empty for a point that the axis does not name. */
  tick?: string;
  /** In full, for screen readers: "21 Nov 14:00 to 15:00 UTC". */
  title?: string;
  /** Heights: counts, or scaled money; its exact amounts are in `texts`. */
  values: Readonly<Record<string, number>>;
  /** Exact texts of values that are not counts. */
  texts?: Readonly<Record<string, string>>;
};

type Named = { key: string; label: string };

export const valueText = (point: ChartPoint, key: string): string =>
  point.texts?.[key] ?? groupDigits(point.values[key] ?? 0);

/** Whether a height is no whole number, as money can be. Counts have ticks at whole numbers only. */
export const hasFractions = (points: readonly ChartPoint[]): boolean =>
  points.some(({ values }) => Object.values(values).some((value) => !Number.isInteger(value)));

const TICK_PRECISION = 6;
const MOST_DECIMALS = 20;

/** A tick of the vertical axis: `10,000`, `0.0000025`; without the noise that the axis adds in its steps. */
export function tickText(value: number): string {
  const magnitude = Math.floor(Math.log10(Math.abs(value) || 1));
  const decimals = Math.min(MOST_DECIMALS, Math.max(0, TICK_PRECISION - 1 - magnitude));
  const text = value.toFixed(decimals);
  return groupThousands(decimals > 0 ? text.replace(/\.?0+$/, "") : text);
}

/** A point in words: `21 Nov 14:00: 102 settled, 2 unsettled`. Zeros are left out. */
export function pointText(point: ChartPoint, series: readonly Named[]): string {
  const parts = series
    .filter(({ key }) => (point.values[key] ?? 0) > 0)
    .map(({ key, label }) => `${valueText(point, key)} ${label.toLowerCase()}`);
  return `${point.title ?? point.label}: ${parts.join(", ") || "none"}`;
}

export const totalOf = (points: readonly ChartPoint[], key: string): number =>
  points.reduce((sum, { values }) => sum + (values[key] ?? 0), 0);

/** Where an arrow key leads from a point; `undefined` for any other key. */
export function movePoint(key: string, at: number, count: number): number | undefined {
  const last = count - 1;
  const targets: Record<string, number> = {
    ArrowRight: Math.min(at + 1, last),
    ArrowUp: Math.min(at + 1, last),
    ArrowLeft: Math.max(at - 1, 0),
    ArrowDown: Math.max(at - 1, 0),
    PageUp: Math.min(at + 6, last),
    PageDown: Math.max(at - 6, 0),
    Home: 0,
    End: last,
  };
  return targets[key];
}
