import type { Money } from "@turnpike/payments/protocol";
import type {
  AgentEarnings,
  Earnings,
  EarningsQuery,
  PlanEarnings,
} from "@/lib/console/figures.ts";
import { type Context, requireCaller } from "../context.ts";
import { moneyOf } from "../orders/money.ts";
import type { Rails } from "../rails/rails.ts";
import type { SalesRow, ServedRow } from "./activity-ports.ts";
import { bucketsOf } from "./figures.ts";

/** What the caller's plans sold and their agents served, by plan, by agent and over time. */
export async function getEarnings(
  context: Context,
  { range, includeTest }: EarningsQuery,
): Promise<Earnings> {
  const { account } = requireCaller(context);
  const { figures, payouts, rails } = context.ports;
  const { bucketSecs, numbers, startOf, since } = await bucketsOf(context, range);
  const [sales, served, owed] = await Promise.all([
    figures.sales(account, since, bucketSecs, includeTest),
    figures.served(account, since, bucketSecs, includeTest),
    payouts.owed(account, includeTest),
  ]);
  const buckets = numbers.map((bucket) => {
    const there = served.filter((row) => row.bucket === bucket);
    return {
      at: startOf(bucket).toISOString(),
      sold: soldOf(sales.filter((row) => row.bucket === bucket)),
      creditsSettled: creditsOf(there),
      requestsSettled: requestsOf(there),
    };
  });
  return {
    range,
    since: since.toISOString(),
    bucketSecs,
    totals: soldOf(sales),
    owed: owed.map(({ currency, amount }) => moneyOf(currency, amount)),
    plans: plansOf(sales, served),
    agents: agentsOf(served, rails),
    buckets,
  };
}

function plansOf(sales: SalesRow[], served: ServedRow[]): PlanEarnings[] {
  const names = new Map([...sales, ...served].map(({ planId, planName }) => [planId, planName]));
  return [...names].map(([planId, planName]) => {
    const there = served.filter((row) => row.planId === planId);
    return {
      planId,
      planName,
      sold: soldOf(sales.filter((row) => row.planId === planId)),
      creditsSettled: creditsOf(there),
      requestsSettled: requestsOf(there),
    };
  });
}

function agentsOf(served: ServedRow[], rails: Rails): AgentEarnings[] {
  return [...groupBy(served, ({ agentId }) => agentId ?? "").values()].map((rows) => {
    const [{ agentId, agentName }] = rows;
    return {
      ...(agentId && { agentId }),
      ...(agentName && { agentName }),
      creditsSettled: creditsOf(rows),
      requestsSettled: requestsOf(rows),
      worth: worthOf(rows, rails),
    };
  });
}

/** Credits at their plan's current price: rounded down once per plan, never per request. */
export function worthOf(rows: ServedRow[], rails: Rails): Money[] {
  const byCurrency = new Map<string, bigint>();
  for (const ofPlan of groupBy(rows, ({ planId }) => planId).values()) {
    const [{ price, granted }] = ofPlan;
    const { total, unit } = rails.getByPrice(price).quote(price);
    if (total === 0n || granted === 0n) continue;
    const worth = (BigInt(creditsOf(ofPlan)) * total) / granted;
    byCurrency.set(unit, (byCurrency.get(unit) ?? 0n) + worth);
  }
  return [...byCurrency].map(([currency, amount]) => moneyOf(currency, amount));
}

/** Sales per currency: never added across two. */
export const soldOf = (
  sales: Pick<SalesRow, "currency" | "amount" | "orders" | "refunded" | "refunds">[],
) =>
  [...groupBy(sales, ({ currency }) => currency)].map(([currency, rows]) => ({
    ...moneyOf(
      currency,
      sum(rows, ({ amount }) => amount),
    ),
    orders: rows.reduce((n, { orders }) => n + orders, 0),
    refunded: sum(rows, ({ refunded }) => refunded).toString(),
    refunds: rows.reduce((n, { refunds }) => n + refunds, 0),
  }));

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
