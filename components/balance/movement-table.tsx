"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useMemo, useRef } from "react";
import type { Movement } from "@/lib/console/money.ts";
import { plural } from "@/lib/text/plural.ts";
import { readQuery } from "../data/read-operation.ts";
import { useEventRefresh } from "../data/use-event-refresh.ts";
import { DataTable } from "../ui/data/data-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { Empty } from "../ui/empty.tsx";
import { Address } from "../ui/values/address.tsx";
import { currencyMoney } from "../ui/values/currency-money.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import { movementHref } from "./movement-href.ts";
import { areOtherMovements, type MovementPage, movementPages } from "./movement-pages.ts";

const KINDS: Record<Movement["kind"], string> = {
  sale: "Sale",
  fee: "Platform fee",
  refund: "Refund",
  "refund-failed": "Refund returned by the bank",
  chargeback: "Chargeback",
  "chargeback-won": "Chargeback won",
  payout: "Payout",
  "payout-returned": "Payout returned",
  "transfer-returned": "Transfer returned",
  deposit: "Deposit",
  "test-funds": "Test funds",
  order: "Order",
  withdrawal: "Withdrawal",
  exact: "Payment to a seller",
};

const columns: DataColumns<Movement> = [
  {
    id: "kind",
    head: "Entry",
    phone: "title",
    opens: true,
    className: "wrap-anywhere min-w-32",
    cell: ({ kind, planName }) => (planName ? `${KINDS[kind]}, ${planName}` : KINDS[kind]),
  },
  {
    id: "party",
    head: "From or to",
    hasActions: true,
    phone: "hidden",
    cell: ({ party }) => (party ? <Address value={party} /> : "–"),
  },
  {
    id: "txHash",
    head: "Transaction",
    hasActions: true,
    phone: "hidden",
    cell: ({ txHash }) => (txHash ? <Address value={txHash} name="transaction" /> : "–"),
  },
  { id: "at", head: "Time", isTime: "full" },
  {
    id: "isOpen",
    head: "Status",
    phone: "hidden",
    cell: ({ isOpen }) =>
      isOpen ? (
        <StatePill tone="running">In progress</StatePill>
      ) : (
        <StatePill tone="good">Done</StatePill>
      ),
  },
  {
    id: "amount",
    head: "Amount",
    align: "end",
    phone: "end",
    className: "whitespace-nowrap",
    cell: ({ amount, currency }) =>
      `${amount.startsWith("-") ? "" : "+"}${currencyMoney(amount, currency)}`,
  },
];

type MovementTableProps = {
  query: { currency?: string; cursor?: string; limit: number };
  first: MovementPage;
  /** The plans whose pages the account can open. */
  ownPlans: string[];
};

/** What came and went; new movements appear while the page is open. */
export function MovementTable({ query, first, ownPlans }: MovementTableProps) {
  const refetchInterval = useEventRefresh();
  const { data } = useQuery({
    ...readQuery("listMovements", query),
    refetchInterval: query.cursor ? false : refetchInterval,
  });
  useCardRefresh(data, first);
  const page = data ?? first;
  const { items, total } = page;
  const hrefOf = useMemo(() => {
    const own = new Set(ownPlans);
    return (movement: Movement) => movementHref(movement, own);
  }, [ownPlans]);
  return (
    <DataTable
      caption="Movements"
      columns={columns}
      rows={items}
      rowId={({ movementId }) => movementId}
      hrefOf={hrefOf}
      empty={
        <Empty kind="first" title="No movements yet">
          Sales, deposits, payouts and withdrawals appear here.
        </Empty>
      }
      foot={`${items.length} of ${plural(total, "movement")}`}
      pages={{ label: "movements", ...movementPages(query, page) }}
    />
  );
}

/** Reads the page again when its movements changed: the balances above them come from the server. */
function useCardRefresh(data: MovementPage | undefined, first: MovementPage): void {
  const router = useRouter();
  const seen = useRef(data);
  useEffect(() => {
    // Once for each reading: until the next one, a refreshed page may be newer than it.
    if (!data || data === seen.current) return;
    seen.current = data;
    if (areOtherMovements(data, first)) router.refresh();
  }, [data, first, router]);
}
