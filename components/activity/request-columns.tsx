import type { RequestRecord } from "@turnpike/payments/protocol";
import type { DataColumns } from "../ui/data/data-table-columns.ts";
import { Address } from "../ui/values/address.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { type Names, nameOf } from "./names.ts";
import { creditsCharged, Endpoint, HttpCell, MoneyCell } from "./request-cells.tsx";
import { msText, tookMs } from "./trace-spans.ts";

/** How a request ended: the same for every list of names. */
const OUTCOME: DataColumns<RequestRecord> = [
  {
    id: "http",
    head: "HTTP",
    className: "sm:w-17",
    cell: (row) => <HttpCell record={row} />,
  },
  {
    id: "money",
    head: "Payment",
    phone: "end",
    className: "sm:w-46",
    cell: (row) => <MoneyCell record={row} />,
  },
  {
    id: "credits",
    head: "Credits",
    align: "end",
    phone: "hidden",
    className: "sm:w-20",
    cell: (row) => creditsCharged(row),
  },
  {
    id: "verify",
    head: "Verify",
    align: "end",
    phone: "hidden",
    className: "sm:w-20 max-2xl:hidden",
    cell: (row) => msText(row.verifyMs),
  },
  {
    id: "settle",
    head: "Settle",
    align: "end",
    phone: "hidden",
    className: "sm:w-20 max-2xl:hidden",
    cell: (row) => msText(row.settleMs),
  },
  {
    id: "took",
    head: "Duration",
    align: "end",
    phone: "end",
    className: "sm:w-24 max-sm:row-start-3",
    cell: (row) => msText(tookMs(row)),
  },
];

/** The columns of a long list of requests; each has a fixed width, so that rows keep theirs as they scroll by. */
export const requestColumns = ({ agents, plans }: Names): DataColumns<RequestRecord> => [
  {
    id: "at",
    head: "Time",
    className: "sm:w-24 max-sm:row-start-3 max-sm:text-ink-2",
    cell: ({ at }) => <TimeAgo at={at} form="clock" />,
  },
  {
    id: "endpoint",
    head: "Endpoint",
    phone: "title",
    opens: true,
    className: "max-sm:wrap-anywhere sm:truncate",
    cell: (row) => <Endpoint record={row} />,
  },
  {
    id: "agent",
    head: "Agent",
    phone: "hidden",
    className: "truncate sm:w-32 max-2xl:hidden",
    cell: (row) => nameOf(agents, row.agentId),
  },
  {
    id: "plan",
    head: "Plan",
    phone: "hidden",
    className: "truncate sm:w-32",
    cell: (row) => nameOf(plans, row.planId),
  },
  {
    id: "payer",
    head: "Payer",
    phone: "hidden",
    className: "sm:w-31 max-xl:hidden",
    cell: (row) =>
      row.payer ? <Address value={row.payer} name="payer" isCopyable={false} /> : "–",
  },
  ...OUTCOME,
];
