"use client";

import { useQuery } from "@tanstack/react-query";
import type { Movement } from "@/lib/console/money.ts";
import { plural } from "@/lib/text/plural.ts";
import { readQuery } from "../data/read-operation.ts";
import { useEventRefresh } from "../data/use-event-refresh.ts";
import { DataTable } from "../ui/data/data-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import type { PaginationProps } from "../ui/data/pagination.tsx";
import { Empty } from "../ui/empty.tsx";
import { Address } from "../ui/values/address.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { balanceMoney } from "./balance-text.ts";
import { movementHref } from "./movement-href.ts";

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
  { id: "at", head: "Time", cell: ({ at }) => <TimeAgo at={at} form="full" /> },
  {
    id: "isOpen",
    head: "Status",
    phone: "hidden",
    cell: ({ isOpen }) =>
      isOpen ? (
        <StatePill tone="running">Under way</StatePill>
      ) : (
        <StatePill tone="good">Done</StatePill>
      ),
  },
  {
    id: "amount",
    head: "Amount",
    align: "end",
    phone: "end",
    cell: ({ amount, currency }) =>
      `${amount.startsWith("-") ? "" : "+"}${balanceMoney(amount, currency)}`,
  },
];

type MovementTableProps = {
  query: { currency?: string; cursor?: string; limit: number };
  first: { items: Movement[]; total: number };
  pages: PaginationProps;
};

/** What came and went; new movements appear while the page is open. */
export function MovementTable({ query, first, pages }: MovementTableProps) {
  const refetchInterval = useEventRefresh();
  const { data } = useQuery({
    ...readQuery("listMovements", query),
    refetchInterval: query.cursor ? false : refetchInterval,
  });
  const { items, total } = data ?? first;
  return (
    <DataTable
      caption="Movements"
      columns={columns}
      rows={items}
      rowId={({ movementId }) => movementId}
      hrefOf={movementHref}
      empty={
        <Empty kind="first" title="No movements yet">
          Sales, deposits, payouts and withdrawals appear here.
        </Empty>
      }
      foot={`${items.length} of ${plural(total, "movement")}`}
      pages={pages}
    />
  );
}
