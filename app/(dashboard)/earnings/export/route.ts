import type { NextRequest } from "next/server";
import { exportCsv } from "@/app/_session/download.ts";
import { netAmount, plainAmount } from "@/components/earnings/money-points.ts";
import type { Earnings, Sold } from "@/lib/console/figures.ts";
import { sheetLine } from "@/lib/text/csv.ts";
import { readEarningsView } from "../earnings-view.ts";

const HEAD = [
  "kind",
  "id",
  "name",
  "from",
  "currency",
  "orders",
  "sold",
  "refunded",
  "net",
  "creditsSettled",
  "requestsSettled",
];

/** The page's figures as CSV: a line for each plan, agent and period, one per currency. */
export async function GET(request: NextRequest): Promise<Response> {
  return exportCsv(request, async (run) => {
    const { range, includeTest } = readEarningsView(
      Object.fromEntries(request.nextUrl.searchParams),
    );
    const earnings = await run("getEarnings", { range, includeTest });
    const day = earnings.buckets.at(-1)?.at.slice(0, 10) ?? "";
    return { lines: linesOf(earnings), fileName: `earnings-${range}-${day}.csv` };
  });
}

async function* linesOf({ plans, agents, buckets }: Earnings) {
  yield sheetLine(HEAD);
  for (const { planId, planName, sold, creditsSettled, requestsSettled } of plans) {
    yield* linesOfSold(["plan", planId, planName, undefined], sold, [
      creditsSettled,
      requestsSettled,
    ]);
  }
  for (const { agentId, agentName, creditsSettled, requestsSettled } of agents) {
    yield* linesOfSold(
      ["agent", agentId, agentName, undefined],
      [],
      [creditsSettled, requestsSettled],
    );
  }
  for (const { at, sold, creditsSettled, requestsSettled } of buckets) {
    yield* linesOfSold(["time", undefined, undefined, at], sold, [creditsSettled, requestsSettled]);
  }
}

/** One line per currency. Credits and calls are on the first line only, so that columns add up. */
function* linesOfSold(
  head: (string | undefined)[],
  sold: readonly Sold[],
  served: (string | number)[],
) {
  const [first, ...rest] = sold;
  yield sheetLine([...head, ...(first ? moneyCells(first) : Array(5).fill(undefined)), ...served]);
  for (const one of rest) yield sheetLine([...head, ...moneyCells(one), undefined, undefined]);
}

function moneyCells(sold: Sold) {
  const { currency, orders, refunded } = sold;
  return [
    currency,
    orders,
    ...[sold.amount, refunded, netAmount(sold)].map((amount) => ({
      decimal: plainAmount({ ...sold, amount }),
    })),
  ];
}
