import type { Earnings } from "@/lib/console/figures.ts";
import { bucketNames } from "../activity/series-points.ts";
import type { ChartPoint } from "../ui/data/chart-data.ts";
import type { ChartSeries } from "../ui/data/chart-series.tsx";
import { changeNote } from "../ui/values/change-note.ts";
import { exactMoney, type MoneyLike } from "../ui/values/currency-money.ts";
import { MINUS, typedAmount } from "../ui/values/money-text.ts";

/** Chart heights are numbers and may round; texts stay exact. */
const HEIGHT_DIGITS = 4;

/** Sales in one currency over time: heights to draw and exact texts to read. */
export const soldPoints = ({ buckets, bucketSecs }: Earnings, currency: string): ChartPoint[] =>
  buckets.map(({ at, sold }) => {
    const money = sold.find((one) => one.currency === currency);
    return {
      ...bucketNames(at, bucketSecs),
      values: { sold: money ? heightOf(money) : 0 },
      texts: { sold: money ? exactMoney(money) : "0" },
    };
  });

/** A height in units of the currency, cut to the digits a screen can show. */
function heightOf({ amount, decimals = 0 }: MoneyLike): number {
  const cut = Math.max(0, decimals - HEIGHT_DIGITS);
  return Number(BigInt(amount) / 10n ** BigInt(cut)) / 10 ** Math.min(decimals, HEIGHT_DIGITS);
}

export const soldSeries: ChartSeries[] = [{ key: "sold", label: "Sold", look: "settled" }];

/** Sales minus refunds. */
export const netAmount = (sold: { amount: string; refunded: string }): string =>
  (BigInt(sold.amount) - BigInt(sold.refunded)).toString();

/** Sales after refunds, per currency: `12.00 USDC and 3.00 USD`. What was refunded whole is left out beside another sum. */
export function netText(totals: Earnings["totals"]): string {
  const nets = totals
    .filter(({ orders }) => orders > 0)
    .map((money) => ({ ...money, amount: netAmount(money) }));
  const some = nets.filter(({ amount }) => amount !== "0");
  return (some.length > 0 ? some : nets).map(exactMoney).join(" and ") || "0";
}

/** The sales of the period before, with the change; a currency without any is left out. */
export const previousNote = (totals: Earnings["totals"], when: string): string | undefined =>
  totals
    .flatMap(
      (money) =>
        changeNote({ amount: netAmount(money), previous: money.previous }, when, (amount) =>
          exactMoney({ ...money, amount }),
        ) ?? [],
    )
    .join("; ") || undefined;

const moneyList = (sums: readonly MoneyLike[]): string => sums.map(exactMoney).join(" and ");

/** Card sales that wait for a payout, what is on its way, and what the builder can do about them. */
export function owedFigure({
  owed,
  pending,
  payouts,
}: Pick<Earnings, "owed" | "pending" | "payouts">) {
  const notes = [
    owed.some(({ amount }) => !amount.startsWith("-")) && WAITING[payouts],
    owed.some(({ amount }) => amount.startsWith("-")) &&
      "Refunds and chargebacks took what is below zero, and your next sales cover it first",
    pending.length > 0 && `${moneyList(pending)} on its way to your bank`,
  ].filter((note) => note !== false);
  return { value: moneyList(owed) || "None", note: notes.join(". ") || "No payout pending" };
}

const WAITING: Record<Earnings["payouts"], string> = {
  active: "Card payments clear a few days after the sale",
  inactive: "Set up payouts to receive it",
  "not-offered": "This deployment pays out no card sales",
};

/** A plain decimal for spreadsheets, in smallest units where the decimals are unknown. */
export const plainAmount = ({ amount, decimals }: MoneyLike): string =>
  decimals === undefined ? amount : typedAmount(amount, decimals).replace(MINUS, "-");

export type Part = { id: string; name: string; requestsSettled: number; series: number[] };

const LOOKS = ["settled", "challenged", "ink"] as const;
const MOST_PARTS = LOOKS.length;

/** Settled calls of the busiest plans or agents over time, and of the others together. */
export function partPoints(
  parts: readonly Part[],
  { buckets, bucketSecs }: Pick<Earnings, "buckets" | "bucketSecs">,
) {
  const shown = parts
    .filter(({ requestsSettled }) => requestsSettled > 0)
    .toSorted((a, b) => b.requestsSettled - a.requestsSettled)
    .slice(0, MOST_PARTS);
  const series: ChartSeries[] = shown.map(({ id, name }, index) => ({
    key: id,
    label: name,
    look: LOOKS[index] ?? "ink",
  }));
  const points = buckets.map(({ at, requestsSettled }, index): ChartPoint => {
    const values = Object.fromEntries(shown.map((part) => [part.id, part.series[index] ?? 0]));
    const rest = Object.values(values).reduce((left, n) => left - n, requestsSettled);
    return { ...bucketNames(at, bucketSecs), values: { ...values, others: rest } };
  });
  if (points.some(({ values }) => (values.others ?? 0) > 0)) {
    series.push({ key: "others", label: "Others", look: "not-charged" });
  }
  return { series, points };
}
