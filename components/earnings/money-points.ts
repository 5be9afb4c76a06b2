import type { Earnings } from "@/lib/console/figures.ts";
import { MINUS } from "@/lib/text/amount-text.ts";
import { plural } from "@/lib/text/plural.ts";
import { bucketNames } from "../activity/series-points.ts";
import type { ChartPoint } from "../ui/data/chart-data.ts";
import type { ChartSeries } from "../ui/data/chart-series.tsx";
import { changeNote } from "../ui/values/change-note.ts";
import { exactMoney, type MoneyLike, moneyLines } from "../ui/values/currency-money.ts";
import { typedAmount } from "../ui/values/money-text.ts";

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

/** A height in units of the currency: a number, which may round where the text stays exact. */
const heightOf = ({ amount, decimals = 0 }: MoneyLike): number => Number(amount) / 10 ** decimals;

export const soldSeries: ChartSeries[] = [{ key: "sold", label: "Sold", look: "settled" }];

export const netAmount = (sold: { amount: string; refunded: string }): string =>
  (BigInt(sold.amount) - BigInt(sold.refunded)).toString();

/** Sales after refunds. What was refunded whole is left out beside another sum. */
export const netLines = (totals: Earnings["totals"]): string[] =>
  moneyLines(
    totals
      .filter(({ orders }) => orders > 0)
      .map((money) => ({ ...money, amount: netAmount(money) })),
  );

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

export const firstPlan = ([first = "–", ...more]: readonly string[]): string =>
  more.length > 0 ? `${first}, +${plural(more.length, "plan")}` : first;

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
      "A negative amount comes from refunds, chargebacks and their fees; your next sales cover it first",
    pending.length > 0 && `${moneyList(pending)} on its way to your bank`,
  ].filter((note) => note !== false);
  return { value: moneyLines(owed), note: notes.join(". ") || "No payout pending" };
}

const WAITING: Record<Earnings["payouts"], string> = {
  active: "Card payments clear a few days after the sale; Balance shows what you can pay out now",
  inactive: "Set up payouts to receive it",
  "not-offered": "This deployment doesn’t pay out card sales",
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
