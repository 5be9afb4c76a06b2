import type { RequestRecord } from "@turnpike/payments/protocol";
import { columnsOf } from "../ui/data/data-table-columns.ts";
import { Address } from "../ui/values/address.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { type Names, nameOf } from "./names.ts";
import { creditsCharged, Endpoint, HttpCell, MoneyCell } from "./request-cells.tsx";
import { msText, tookMs } from "./trace-spans.ts";

const column = columnsOf<RequestRecord>();

/** The columns of a long list of requests; each has a fixed width, so that rows keep theirs as they scroll by. */
export const requestColumns = ({ agents, plans }: Names) =>
  column.columns([
    column.accessor("at", {
      header: "Time",
      enableSorting: false,
      meta: { className: "sm:w-24 max-sm:row-start-3 max-sm:text-ink-2" },
      cell: ({ getValue }) => <TimeAgo at={getValue()} form="clock" />,
    }),
    column.display({
      id: "endpoint",
      header: "Endpoint",
      meta: { phone: "title", opens: true, className: "max-sm:wrap-anywhere sm:truncate" },
      cell: ({ row: { original } }) => <Endpoint record={original} />,
    }),
    column.display({
      id: "agent",
      header: "Agent",
      meta: { phone: "hidden", className: "truncate sm:w-32 max-2xl:hidden" },
      cell: ({ row: { original } }) => nameOf(agents, original.agentId),
    }),
    column.display({
      id: "plan",
      header: "Plan",
      meta: { phone: "hidden", className: "truncate sm:w-32" },
      cell: ({ row: { original } }) => nameOf(plans, original.planId),
    }),
    column.display({
      id: "payer",
      header: "Payer",
      meta: { phone: "hidden", className: "sm:w-31 max-xl:hidden" },
      cell: ({ row: { original } }) =>
        original.payer ? <Address value={original.payer} name="payer" isCopyable={false} /> : "–",
    }),
    column.display({
      id: "http",
      header: "HTTP",
      meta: { className: "sm:w-17" },
      cell: ({ row: { original } }) => <HttpCell record={original} />,
    }),
    column.display({
      id: "money",
      header: "Payment",
      meta: { phone: "end", className: "sm:w-46" },
      cell: ({ row: { original } }) => <MoneyCell record={original} />,
    }),
    column.display({
      id: "credits",
      header: "Credits",
      meta: { align: "end", phone: "hidden", className: "sm:w-20" },
      cell: ({ row: { original } }) => creditsCharged(original),
    }),
    column.display({
      id: "verify",
      header: "Verify",
      meta: { align: "end", phone: "hidden", className: "sm:w-20 max-2xl:hidden" },
      cell: ({ row: { original } }) => msText(original.verifyMs),
    }),
    column.display({
      id: "settle",
      header: "Settle",
      meta: { align: "end", phone: "hidden", className: "sm:w-20 max-2xl:hidden" },
      cell: ({ row: { original } }) => msText(original.settleMs),
    }),
    column.display({
      id: "took",
      header: "Took",
      meta: { align: "end", phone: "end", className: "sm:w-24 max-sm:row-start-3" },
      cell: ({ row: { original } }) => msText(tookMs(original)),
    }),
  ]);
