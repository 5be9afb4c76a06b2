import type { AgentFigures, CustomerDetails, PlanFigures } from "@/lib/console/business.ts";
import { plural } from "@/lib/text/plural.ts";
import { exactMoney, netAmount } from "../earnings/money-points.ts";
import type { Figure } from "../ui/data/figures.tsx";
import { groupDigits } from "../ui/values/money-text.ts";

type Calls = Pick<PlanFigures["now"], "attempts" | "settled" | "p50Ms" | "p95Ms">;
type Sums = Parameters<typeof exactMoney>[0][];

/** A plan's business: sales and calls first, then its credits. Each figure names the period before. */
export function planFigures({ now, previous, subscribers, creditsLeft }: PlanFigures): Figure[] {
  const orders = now.sold.reduce((sum, one) => sum + one.orders, 0);
  return [
    {
      label: "Sales, after refunds",
      value: <Sums of={net(now.sold)} />,
      note: `${plural(orders, "order")}, before ${sumsText(net(previous.sold))}`,
    },
    {
      label: "Subscribers",
      value: groupDigits(subscribers),
      note: `${groupDigits(now.newSubscribers)} new, before ${groupDigits(previous.newSubscribers)}`,
    },
    paidCalls(now, previous),
    successRate(now, previous),
    latency(now, previous),
    credits("Credits sold", now.creditsSold, previous.creditsSold),
    credits("Credits used", now.creditsUsed, previous.creditsUsed),
    {
      label: "Credits left",
      value: groupDigits(creditsLeft),
      note: `${groupDigits(now.creditsExpired)} expired, before ${groupDigits(previous.creditsExpired)}`,
    },
  ];
}

/** An agent's business: what it earned, and how well it serves. */
export const agentFigures = ({ now, previous }: AgentFigures): Figure[] => [
  {
    label: "Credits earned are worth",
    value: <Sums of={now.worth} />,
    note: `${plural(BigInt(now.creditsUsed), "credit")}, before ${groupDigits(previous.creditsUsed)}`,
  },
  {
    ...paidCalls(now, previous),
    note: `By ${plural(now.customers, "customer")}, before ${groupDigits(previous.settled)} by ${groupDigits(previous.customers)}`,
  },
  successRate(now, previous),
  latency(now, previous),
];

/** What a customer spent, and how their calls go; 30 days and the 30 before. */
export const customerFigures = ({ spent, orders, now, previous }: CustomerDetails): Figure[] => [
  {
    label: "Spent, after refunds",
    value: <Sums of={net(spent)} />,
    note: plural(orders, "order"),
  },
  paidCalls(now, previous),
  successRate(now, previous),
  latency(now, previous),
];

const net = (sold: PlanFigures["now"]["sold"]): Sums =>
  sold.map((money) => ({ ...money, amount: netAmount(money) }));

const sumsText = (sums: Sums) => (sums.length === 0 ? "0" : sums.map(exactMoney).join(" and "));

function Sums({ of }: { of: Sums }) {
  if (of.length < 2) return sumsText(of);
  return (
    <span className="grid text-h2">
      {of.map((money) => (
        <span key={money.currency}>{exactMoney(money)}</span>
      ))}
    </span>
  );
}

const credits = (label: string, now: string, before: string): Figure => ({
  label,
  value: groupDigits(now),
  note: `Before ${groupDigits(before)}`,
});

const paidCalls = (now: Calls, previous: Calls): Figure => ({
  label: "Paid calls",
  value: groupDigits(now.settled),
  note: `Before ${groupDigits(previous.settled)}`,
});

const successRate = (now: Calls, previous: Calls): Figure => ({
  label: "Success rate",
  value: percent(now),
  note: [
    now.attempts === 0 ? "No attempts" : `Of ${plural(now.attempts, "attempt")}`,
    ...(previous.attempts === 0 ? [] : [`before ${percent(previous)}`]),
  ].join(", "),
});

const latency = (now: Calls, previous: Calls): Figure => ({
  label: "Latency, p50 · p95",
  value: now.p50Ms === undefined ? "–" : `${seconds(now.p50Ms)} · ${seconds(now.p95Ms)}`,
  note:
    previous.p95Ms !== undefined
      ? `Before p95 ${seconds(previous.p95Ms)}`
      : now.p95Ms === undefined
        ? "No reports"
        : "No reports before",
});

/** Never 100% while a call was lost: cut, not rounded. */
const percent = ({ attempts, settled }: Calls) =>
  attempts === 0 ? "–" : `${Math.floor((settled * 1000) / attempts) / 10}%`;

const seconds = (ms: number | undefined) =>
  ms === undefined ? "–" : ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(2)} s`;
