"use client";

import type { ReactNode } from "react";
import type { Customer, CustomerPlan } from "@/lib/console/business.ts";
import { plural } from "@/lib/text/plural.ts";
import { createTable } from "../ui/data/create-table.tsx";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { Address } from "../ui/values/address.tsx";
import { CopyButton } from "../ui/values/copy-button.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { customerName } from "./customer-name.ts";
import { planLeft } from "./plan-left.ts";

const columnsOf = (left: (customer: Customer) => ReactNode): DataColumns<Customer> => [
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
    // Without a name, the first column is the address.
    cell: ({ name, address }) =>
      name ? (
        <Address value={address} name="customer address" />
      ) : (
        <CopyButton text={address} label="Copy customer address" />
      ),
    hasActions: true,
    phone: "hidden",
  },
  { id: "plans", label: "Credits left", cell: left },
  { id: "orders", label: "Orders", isCount: true },
  { id: "calls", label: "Calls, 30 days", isCount: true },
  {
    id: "lastSeenAt",
    head: "Last seen",
    isTime: true,
    align: "end",
    phone: "end",
    phoneLabel: "Last seen",
  },
];

const tableLeft = (plan: CustomerPlan): string =>
  plan.accessLimit === "time" ? planLeft(plan) : groupDigits(plan.available);

/** Credits of two plans are never added: the first plan, and how many more. */
function leftByPlan({ plans, planCount }: Customer): ReactNode {
  const [first] = plans;
  if (!first) return "–";
  return (
    <span className="tabular-nums">
      <span className="text-ink-2">{first.name}:</span> {tableLeft(first)}
      {planCount > 1 && <span className="text-ink-2">, +{plural(planCount - 1, "plan")}</span>}
    </span>
  );
}

const tableOf = (left: (customer: Customer) => ReactNode) =>
  createTable<Customer>({
    caption: "Customers",
    columns: columnsOf(left),
    rowId: ({ address }) => address,
    hrefOf: ({ address }) => `/customers/${address}`,
  });

/** Who ordered, last seen first; each row links to its customer. */
export const CustomerTable = tableOf(leftByPlan);

/** Those of one plan, which is not named again. */
export const PlanCustomerTable = tableOf(({ plans: [plan] }) => (plan ? tableLeft(plan) : "–"));
