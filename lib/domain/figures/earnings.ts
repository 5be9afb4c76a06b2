import type { Money } from "@turnpike/payments/protocol";
import type {
  AgentEarnings,
  Earnings,
  EarningsQuery,
  PlanEarnings,
  Sold,
} from "@/lib/console/figures.ts";
import { type Context, requireCaller } from "../context.ts";
import { moneyOf } from "../orders/money.ts";
import { currencyPaid } from "../rails/rail.ts";
import type { Rails } from "../rails/rails.ts";
import type { SalesRow, ServedRow } from "./activity-ports.ts";
import { periodOf } from "./period.ts";

/**
 * What the caller's plans sold and their agents served: in total, by plan, by agent and over time, beside the period
 * before. One read for everything on the page, so that its figures, its tables and its chart agree.
 */
export async function getEarnings(
  context: Context,
  { range, includeTest }: EarningsQuery,
): Promise<Earnings> {
  const { account } = requireCaller(context);
  const { figures, payouts, payoutProcessor, rails } = context.ports;
  const { bucketSecs, numbers, startOf, since, before, isNow } = await periodOf(context, range);
  const [allSales, allServed, owed, pending, setup, subscribers] = await Promise.all([
    figures.sales(account, before, bucketSecs, includeTest),
    figures.served(account, before, bucketSecs, includeTest),
    payouts.owed(account),
    payouts.underWay(account),
    payouts.findAccount(account),
    figures.topSubscribers(account, includeTest),
  ]);
  const isPast = (row: { bucket: number }) => !isNow(row);
  const [sales, salesBefore] = [allSales.filter(isNow), allSales.filter(isPast)];
  const [served, servedBefore] = [allServed.filter(isNow), allServed.filter(isPast)];
  return {
    range,
    since: since.toISOString(),
    bucketSecs,
    totals: totalsOf(rails, sales, salesBefore),
    worth: worthOf(served, rails),
    orders: {
      count: ordersOf(sales),
      previous: ordersOf(salesBefore),
      plans: new Set(sales.map(({ planId }) => planId)).size,
    },
    creditsSettled: { amount: creditsOf(served), previous: creditsOf(servedBefore) },
    requestsSettled: { count: requestsOf(served), previous: requestsOf(servedBefore) },
    owed: owed.map(({ currency, amount }) => moneyOf(currency, amount)),
    pending: pending.map(({ currency, amount }) => moneyOf(currency, amount)),
    payouts: !payoutProcessor ? "not-offered" : setup?.status === "active" ? "active" : "inactive",
    plans: plansOf(rails, sales, served, numbers),
    agents: agentsOf(rails, served, numbers),
    subscribers: subscribers.map(({ used, lastOrderAt, ...subscriber }) => ({
      ...subscriber,
      lastOrderAt: lastOrderAt.toISOString(),
      creditsUsed: used.toString(),
    })),
    buckets: numbers.map((bucket) => {
      const there = served.filter((row) => row.bucket === bucket);
      return {
        at: startOf(bucket).toISOString(),
        sold: soldOf(
          rails,
          sales.filter((row) => row.bucket === bucket),
        ),
        creditsSettled: creditsOf(there),
        requestsSettled: requestsOf(there),
      };
    }),
  };
}

/** Sales per currency beside what the period before brought in it; a currency of either period is there. */
function totalsOf(rails: Rails, sales: SalesRow[], salesBefore: SalesRow[]): Earnings["totals"] {
  const netOf = ({ amount, refunded }: Sold) => BigInt(amount) - BigInt(refunded);
  const before = new Map(soldOf(rails, salesBefore).map((sold) => [sold.currency, sold]));
  const now = soldOf(rails, sales);
  const gone = [...before.values()].filter((old) =>
    now.every((one) => one.currency !== old.currency),
  );
  const nothing = { orders: 0, refunded: "0", refunds: 0 };
  return [...now, ...gone.map(({ currency }) => ({ ...moneyOf(currency, 0n), ...nothing }))].map(
    (sold) => {
      const old = before.get(sold.currency);
      return { ...sold, previous: (old ? netOf(old) : 0n).toString() };
    },
  );
}

function plansOf(
  rails: Rails,
  sales: SalesRow[],
  served: ServedRow[],
  numbers: number[],
): PlanEarnings[] {
  const names = new Map([...sales, ...served].map(({ planId, planName }) => [planId, planName]));
  const soldBy = groupBy(sales, ({ planId }) => planId);
  const servedBy = groupBy(served, ({ planId }) => planId);
  return [...names].map(([planId, planName]) => ({
    planId,
    planName,
    sold: soldOf(rails, soldBy.get(planId) ?? []),
    ...servedOf(servedBy.get(planId) ?? [], numbers),
  }));
}

const agentsOf = (rails: Rails, served: ServedRow[], numbers: number[]): AgentEarnings[] =>
  [...groupBy(served, ({ agentId }) => agentId ?? "").values()].map((rows) => {
    const [{ agentId, agentName }] = rows;
    return {
      ...(agentId && { agentId }),
      ...(agentName && { agentName }),
      ...servedOf(rows, numbers),
      worth: worthOf(rows, rails),
    };
  });

const servedOf = (rows: ServedRow[], numbers: number[]) => ({
  creditsSettled: creditsOf(rows),
  requestsSettled: requestsOf(rows),
  series: numbers.map((bucket) => requestsOf(rows.filter((row) => row.bucket === bucket))),
});

/** Credits at their plan's current price: rounded down once per plan, never per request. */
export function worthOf(rows: ServedRow[], rails: Rails): Money[] {
  const byCurrency = new Map<string, bigint>();
  for (const ofPlan of groupBy(rows, ({ planId }) => planId).values()) {
    const [{ price, granted }] = ofPlan;
    const rail = rails.getByPrice(price);
    const { total, unit } = rail.quote(price);
    if (total === 0n || granted === 0n) continue;
    const currency = currencyPaid(rail, unit);
    const worth = (BigInt(creditsOf(ofPlan)) * total) / granted;
    byCurrency.set(currency, (byCurrency.get(currency) ?? 0n) + worth);
  }
  return [...byCurrency].map(([currency, amount]) => moneyOf(currency, amount));
}

/** Sales per currency: never added across two. */
export function soldOf(
  rails: Rails,
  sales: Pick<SalesRow, "scheme" | "currency" | "amount" | "orders" | "refunded" | "refunds">[],
): Sold[] {
  const unitOf = ({ scheme, currency }: Pick<SalesRow, "scheme" | "currency">) =>
    currencyPaid(rails.find(scheme), currency);
  return [...groupBy(sales, unitOf)].map(([currency, rows]) => ({
    ...moneyOf(
      currency,
      sum(rows, ({ amount }) => amount),
    ),
    orders: ordersOf(rows),
    refunded: sum(rows, ({ refunded }) => refunded).toString(),
    refunds: rows.reduce((n, { refunds }) => n + refunds, 0),
  }));
}

const ordersOf = (rows: readonly Pick<SalesRow, "orders">[]) =>
  rows.reduce((n, { orders }) => n + orders, 0);
export const creditsOf = (rows: ServedRow[]) => sum(rows, ({ credits }) => credits).toString();
const requestsOf = (rows: ServedRow[]) => rows.reduce((n, { requests }) => n + requests, 0);
const sum = <T>(rows: T[], of: (row: T) => bigint) => rows.reduce((all, row) => all + of(row), 0n);

function groupBy<T>(rows: T[], key: (row: T) => string): Map<string, [T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  return groups;
}
