"use client";

import type { ReactNode } from "react";
import type { Customer } from "@/lib/console/business.ts";
import { plural } from "@/lib/text/plural.ts";
import { DataTable } from "../ui/data/data-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { Address } from "../ui/values/address.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { customerName } from "./customer-name.ts";

const columns: DataColumns<Customer> = [
  {
    id: "name",
    head: "Customer",
    cell: customerName,
    phone: "title",
    opens: true,
    className: "wrap-anywhere min-w-32 font-medium",
  },
  {
    id: "address",
    head: "Address",
    cell: ({ address }) => <Address value={address} name="customer address" />,
    hasActions: true,
    phone: "hidden",
  },
  { id: "plans", head: "Credits left", cell: Left },
  { id: "orders", label: "Orders", isCount: true },
  { id: "calls", head: "Calls, 30 days", isCount: true, phoneLabel: "Calls" },
  {
    id: "lastSeenAt",
    head: "Last seen",
    cell: ({ lastSeenAt }) => <TimeAgo at={lastSeenAt} />,
    align: "end",
    phone: "end",
  },
];

/** Credits of two plans are never added: the first plan, and how many more. */
function Left({ plans }: Customer): ReactNode {
  const [first] = plans;
  if (!first) return "–";
  return (
    <span className="tabular-nums">
      {groupDigits(first.available)} <span className="text-ink-2">of {first.name}</span>
      {plans.length > 1 && (
        <span className="text-ink-2">, +{plural(plans.length - 1, "plan")}</span>
      )}
    </span>
  );
}

type CustomerTableProps = {
  rows: Customer[];
  total: number;
  newer?: string;
  older?: string;
  empty: ReactNode;
};

/** Who ordered, last seen first; each row links to its customer. */
export function CustomerTable({ rows, total, newer, older, empty }: CustomerTableProps) {
  return (
    <DataTable
      caption="Customers"
      columns={columns}
      rows={rows}
      rowId={({ address }) => address}
      hrefOf={({ address }) => `/customers/${address}`}
      empty={empty}
      foot={rows.length > 0 && plural(total, "customer")}
      pages={{ label: "customers", newer, older }}
    />
  );
}
