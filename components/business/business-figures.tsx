import type { AgentFigures, CustomerDetails, PlanFigures } from "@/lib/console/business.ts";
import { NEWEST_CALLS } from "@/lib/console/market-facts.ts";
import { plural } from "@/lib/text/plural.ts";
import { netAmount } from "../earnings/money-points.ts";
import type { Figure } from "../ui/data/figures.tsx";
import { type MoneyLike, moneyLines } from "../ui/values/currency-money.ts";
import { groupDigits } from "../ui/values/money-text.ts";

type Calls = Pick<PlanFigures["now"], "attempts" | "settled" | "p50Ms" | "p95Ms">;
type Sums = MoneyLike[];

/** A plan's business: sales and calls first, then its credits. Each figure names the period before. */
export function planFigures({ now, previous, subscribers, creditsLeft }: PlanFigures): Figure[] {
  const orders = now.sold.reduce((sum, one) => sum + one.orders, 0);
  return [
    {
      label: "Sales, after refunds",
      value: moneyLines(net(now.sold)),
      note: noteOf(
        plural(orders, "order"),
        previous.sold.length > 0 && moneyLines(net(previous.sold)).join(" and "),
      ),
    },
    {
      label: "Subscribers",
      value: groupDigits(subscribers),
      note: noteOf(
        `${groupDigits(now.newSubscribers)} new`,
        before(now.newSubscribers, previous.newSubscribers),
      ),
    },
    paidCalls(now, previous),
    successRate(now, previous),
    latency(now, previous),
    credits("Credits sold", now.creditsSold, previous.creditsSold),
    credits("Credits used", now.creditsUsed, previous.creditsUsed),
    {
      label: "Credits left",
      value: groupDigits(creditsLeft),
      note: noteOf(
        `${groupDigits(now.creditsExpired)} expired`,
        before(now.creditsExpired, previous.creditsExpired),
      ),
    },
  ];
}

/** An agent's business: what it earned, and how well it serves. */
export const agentFigures = ({ now, previous }: AgentFigures): Figure[] => [
  {
    label: "Value of credits earned",
    value: moneyLines(now.worth),
    note: noteOf(
      plural(BigInt(now.creditsUsed), "credit"),
      before(now.creditsUsed, previous.creditsUsed),
    ),
  },
  {
    ...paidCalls(now, previous),
    note: noteOf(
      now.customers > 0 && `By ${plural(now.customers, "customer")}`,
      before(now.settled, previous.settled),
    ),
  },
  successRate(now, previous),
  latency(now, previous),
];

/** What a customer spent, and how their calls go; 30 days and the 30 before. */
export const customerFigures = ({ spent, orders, now, previous }: CustomerDetails): Figure[] => [
  {
    label: "Spent, after refunds",
    value: moneyLines(net(spent)),
    note: plural(orders, "order"),
  },
  paidCalls(now, previous),
  successRate(now, previous),
  latency(now, previous),
];

type Note = string | false | undefined;

/** What a figure is of, and what it was in the previous period. */
const noteOf = (of: Note, previous: Note): string | undefined =>
  [of, previous && `${previous} in the previous period`].filter(Boolean).join(", ") || undefined;

/** A count of the previous period; left out while there is nothing to compare. */
const before = (now: number | string, previous: number | string): Note =>
  (BigInt(now) > 0n || BigInt(previous) > 0n) && groupDigits(previous);

const net = (sold: PlanFigures["now"]["sold"]): Sums =>
  sold.map((money) => ({ ...money, amount: netAmount(money) }));

const credits = (label: string, now: string, previous: string): Figure => ({
  label,
  value: groupDigits(now),
  note: noteOf(false, before(now, previous)),
});

const paidCalls = (now: Calls, previous: Calls): Figure => ({
  label: "Paid calls",
  value: groupDigits(now.settled),
  note: noteOf(false, before(now.settled, previous.settled)),
});

const successRate = (now: Calls, previous: Calls): Figure => ({
  label: "Success rate",
  value: percent(now),
  note: noteOf(
    now.attempts === 0 ? "No attempts" : `Of ${plural(now.attempts, "attempt")}`,
    previous.attempts > 0 && percent(previous),
  ),
});

const latency = (now: Calls, previous: Calls): Figure => ({
  label: "Latency, p95",
  value: seconds(now.p95Ms),
  note: noteOf(
    now.p95Ms === undefined ? "No recent reports" : medianText(now),
    previous.p95Ms !== undefined && `p95 ${seconds(previous.p95Ms)}`,
  ),
});

const medianText = ({ p50Ms, settled }: Calls): string =>
  `p50 ${seconds(p50Ms)}${settled > NEWEST_CALLS ? " in the newest calls" : ""}`;

/** Never 100% while a call was lost: cut, not rounded. */
const percent = ({ attempts, settled }: Calls) =>
  attempts === 0 ? "–" : `${Math.floor((settled * 1000) / attempts) / 10}%`;

const seconds = (ms: number | undefined) =>
  ms === undefined ? "–" : ms < 1000 ? `${ms}\u00a0ms` : `${(ms / 1000).toFixed(2)}\u00a0s`;
