"use client";

import type { AgentEarnings, PlanEarnings, TopSubscriber } from "@/lib/console/figures.ts";
import { createTable } from "../ui/data/create-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { Address } from "../ui/values/address.tsx";
import { exactMoney, type MoneyLike } from "../ui/values/currency-money.ts";
import { groupDigits } from "../ui/values/money-text.ts";
import { firstPlan } from "./money-points.ts";

const LINK = "link inline-flex min-h-6 items-center";

const planColumns: DataColumns<PlanEarnings> = [
  {
    id: "plan",
    head: "Plan",
    phone: "title",
    hasActions: true,
    cell: (row) => (
      <NearLink href={`/plans/${row.planId}`} className={LINK}>
        {row.planName}
      </NearLink>
    ),
  },
  {
    id: "orders",
    label: "Paid orders",
    align: "end",
    cell: (row) => groupDigits(row.sold.reduce((sum, { orders }) => sum + orders, 0)),
  },
  {
    id: "sold",
    label: "Sold",
    align: "end",
    cell: (row) => <Amounts amounts={row.sold} />,
  },
  {
    id: "refunded",
    label: "Refunded",
    align: "end",
    cell: (row) => (
      <Amounts
        amounts={row.sold
          .filter(({ refunds }) => refunds > 0)
          .map((money) => ({ ...money, amount: money.refunded }))}
      />
    ),
  },
  { id: "requestsSettled", isCount: true, head: "Settled calls", phoneLabel: "Calls" },
  { id: "creditsSettled", isCount: true, label: "Credits" },
];

export const PlanTable = createTable<PlanEarnings>({
  caption: "Earnings by plan",
  columns: planColumns,
  rowId: ({ planId }) => planId,
  empty: <Empty kind="filtered" title="No sales or calls in this period" />,
});

const agentColumns: DataColumns<AgentEarnings> = [
  {
    id: "agent",
    head: "Agent",
    phone: "title",
    hasActions: true,
    cell: (row) =>
      row.agentId ? (
        <NearLink href={`/agents/${row.agentId}`} className={LINK}>
          {row.agentName ?? row.agentId}
        </NearLink>
      ) : (
        "No agent"
      ),
  },
  { id: "requestsSettled", isCount: true, head: "Settled calls", phoneLabel: "Calls" },
  { id: "creditsSettled", isCount: true, label: "Credits" },
  {
    id: "worth",
    head: "Value at today’s price",
    align: "end",
    phoneLabel: "Value",
    cell: (row) => <Amounts amounts={row.worth} />,
  },
];

export const AgentTable = createTable<AgentEarnings>({
  caption: "Earnings by agent",
  columns: agentColumns,
  rowId: ({ agentId }) => agentId ?? "",
  empty: <Empty kind="filtered" title="No settled calls in this period" />,
});

const subscriberColumns: DataColumns<TopSubscriber> = [
  {
    id: "address",
    head: "Subscriber",
    phone: "title",
    hasActions: true,
    cell: ({ address }) => <Address value={address} name="subscriber" />,
  },
  { id: "plans", head: "Plans", cell: ({ plans }) => firstPlan(plans) },
  { id: "orders", isCount: true, label: "Paid orders" },
  { id: "lastOrderAt", label: "Last order", isTime: true, align: "end" },
  { id: "creditsUsed", isCount: true, head: "Credits used", phoneLabel: "Credits" },
];

export const SubscriberTable = createTable<TopSubscriber>({
  caption: "Top subscribers",
  columns: subscriberColumns,
  rowId: ({ address }) => address,
  empty: <Empty kind="filtered" title="No subscribers yet" />,
});

function Amounts({ amounts }: { amounts: readonly MoneyLike[] }) {
  if (amounts.length === 0) return "–";
  return (
    <span className="inline-grid">
      {amounts.map((money) => (
        <span key={money.currency} className="tabular-nums">
          {exactMoney(money)}
        </span>
      ))}
    </span>
  );
}
