"use client";

import Link from "next/link";
import type { AgentEarnings, PlanEarnings } from "@/lib/console/figures.ts";
import { DataTable } from "../ui/data/data-table.tsx";
import { columnsOf } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { Address } from "../ui/values/address.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { exactMoney, type MoneyLike } from "./money-points.ts";

const LINK = "link inline-flex min-h-6 items-center";

const planColumn = columnsOf<PlanEarnings>();
const planColumns = planColumn.columns([
  planColumn.display({
    id: "plan",
    header: "Plan",
    meta: { phone: "title", hasActions: true },
    cell: ({ row: { original } }) => (
      <Link href={`/plans/${original.planId}`} className={LINK}>
        {original.planName}
      </Link>
    ),
  }),
  planColumn.display({
    id: "orders",
    header: "Orders",
    meta: { align: "end", phoneLabel: "Orders" },
    cell: ({ row: { original } }) =>
      groupDigits(original.sold.reduce((sum, { orders }) => sum + orders, 0)),
  }),
  planColumn.display({
    id: "sold",
    header: "Sold",
    meta: { align: "end", phone: "end" },
    cell: ({ row: { original } }) => <Amounts amounts={original.sold} />,
  }),
  planColumn.display({
    id: "refunded",
    header: "Refunded",
    meta: { align: "end", phone: "hidden" },
    cell: ({ row: { original } }) => (
      <Amounts
        amounts={original.sold
          .filter(({ refunds }) => refunds > 0)
          .map((money) => ({ ...money, amount: money.refunded }))}
      />
    ),
  }),
  planColumn.digits("requestsSettled", { header: "Settled calls", phoneLabel: "Calls" }),
  planColumn.digits("creditsSettled", { header: "Credits", phone: "end", phoneLabel: "Credits" }),
]);

/** What each plan sold and served. */
export function PlanTable({ plans }: { plans: PlanEarnings[] }) {
  return (
    <DataTable
      caption="Earnings by plan"
      columns={planColumns}
      rows={plans}
      rowId={({ planId }) => planId}
      empty={<Nothing title="No sales or calls in this period" />}
    />
  );
}

const agentColumn = columnsOf<AgentEarnings>();
const agentColumns = agentColumn.columns([
  agentColumn.display({
    id: "agent",
    header: "Agent",
    meta: { phone: "title", hasActions: true },
    cell: ({ row: { original } }) =>
      original.agentId ? (
        <Link href={`/agents/${original.agentId}`} className={LINK}>
          {original.agentName ?? original.agentId}
        </Link>
      ) : (
        "No agent"
      ),
  }),
  agentColumn.digits("requestsSettled", { header: "Settled calls", phoneLabel: "Calls" }),
  agentColumn.digits("creditsSettled", { header: "Credits", phone: "end", phoneLabel: "Credits" }),
  agentColumn.display({
    id: "worth",
    header: "Worth at today’s price",
    meta: { align: "end", phoneLabel: "Worth" },
    cell: ({ row: { original } }) => <Amounts amounts={original.worth} />,
  }),
]);

/** What each agent earned in credits. */
export function AgentTable({ agents }: { agents: AgentEarnings[] }) {
  return (
    <DataTable
      caption="Earnings by agent"
      columns={agentColumns}
      rows={agents}
      rowId={({ agentId }) => agentId ?? ""}
      empty={<Nothing title="No settled calls in this period" />}
    />
  );
}

export type TopSubscriber = {
  address: string;
  creditsUsed: string;
  orders: number;
  plans: string[];
  lastOrderAt: string;
};

const subscriberColumn = columnsOf<TopSubscriber>();
const subscriberColumns = subscriberColumn.columns([
  subscriberColumn.accessor("address", {
    header: "Subscriber",
    meta: { phone: "title", hasActions: true },
    cell: ({ getValue }) => <Address value={getValue()} name="subscriber" />,
  }),
  subscriberColumn.display({
    id: "plans",
    header: "Plans",
    cell: ({ row: { original } }) => original.plans.join(", "),
  }),
  subscriberColumn.digits("orders", { header: "Orders", phone: "end", phoneLabel: "Orders" }),
  subscriberColumn.accessor("lastOrderAt", {
    header: "Last order",
    meta: { align: "end", phoneLabel: "Last order" },
    cell: ({ getValue }) => <TimeAgo at={getValue()} />,
  }),
  subscriberColumn.digits("creditsUsed", {
    header: "Credits used",
    phone: "end",
    phoneLabel: "Credits",
  }),
]);

/** The subscribers who used the most credits. */
export function SubscriberTable({ subscribers }: { subscribers: TopSubscriber[] }) {
  return (
    <DataTable
      caption="Top subscribers"
      columns={subscriberColumns}
      rows={subscribers}
      rowId={({ address }) => address}
      empty={<Nothing title="No subscribers yet" />}
    />
  );
}

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

const Nothing = ({ title }: { title: string }) => <Empty kind="filtered" title={title} />;
