"use client";

import type { OrderSummary } from "@turnpike/payments/protocol";
import { paidIn } from "@/lib/console/paid-in.ts";
import { backStatus, backTexts } from "../refunds/back-text.ts";
import { createTable } from "../ui/data/create-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { exactMoney } from "../ui/values/currency-money.ts";
import { type State, StatePill } from "../ui/values/state-pill.tsx";
import { Transaction } from "../ui/values/transaction.tsx";

const STATES: Record<OrderSummary["status"], State> = {
  minted: { tone: "good", word: "Paid" },
  reserved: { tone: "running", word: "Processing" },
  charging: { tone: "running", word: "Processing" },
  requires_action: { tone: "warn", word: "Needs confirmation" },
  declined: { tone: "bad", word: "Failed" },
  refunded: { tone: "neutral", word: "Refunded" },
};

const columns: DataColumns<OrderSummary> = [
  { id: "createdAt", head: "Date", phone: "title", opens: true, isTime: "full" },
  {
    id: "isTopUp",
    label: "Ordered by",
    cell: ({ isTopUp }) => (isTopUp ? "Agent (top-up)" : "You"),
  },
  { id: "price", label: "Price", align: "end", cell: (order) => <OrderPrice {...order} /> },
  { id: "creditsGranted", isCount: true, label: "Credits" },
  {
    id: "reference",
    head: "Reference",
    hasActions: true,
    phone: "hidden",
    cell: ({ reference }) => (reference ? <Transaction value={reference} name="reference" /> : "–"),
  },
  {
    id: "status",
    head: "Status",
    cell: (order) => {
      const back = backStatus(order);
      return <StatePill state={back ? { tone: "neutral", word: back } : STATES[order.status]} />;
    },
  },
];

function OrderPrice({ price, refunded, disputed, scheme }: OrderSummary) {
  if (price.amount === "0") return "Free";
  const currency = paidIn(price.currency, { isFiat: scheme !== "svc:erc4337" });
  return (
    <span>
      {exactMoney({ ...price, currency })}
      {backTexts({ refunded: refunded && { ...refunded, currency }, disputed }).map((text) => (
        <span key={text} className="block text-ink-2 text-note">
          {text}
        </span>
      ))}
    </span>
  );
}

const tableOf = (shown: DataColumns<OrderSummary>) =>
  createTable<OrderSummary>({
    caption: "Orders",
    columns: shown,
    rowId: ({ orderId }) => orderId,
    hrefOf: ({ planId, orderId }) => `/checkout/${planId}/${orderId}`,
  });

export const OrderTable = tableOf(columns);

/** The orders of a time pass, whose calls use no credits. */
export const AccessOrderTable = tableOf(columns.filter(({ id }) => id !== "creditsGranted"));
