import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import { summarizeAttempt } from "@/lib/console/attempt-causes.ts";
import type { DataColumn, DataColumns } from "../ui/data/data-table-columns.ts";
import { NearLink } from "../ui/links/near-link.tsx";
import { Address } from "../ui/values/address.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { PhaseStrip } from "./attempt/phase-strip.tsx";
import { WhoActsTag } from "./attempt/who-acts-tag.tsx";
import { chargeText } from "./charge-text.ts";
import { msText, tookMs } from "./durations.ts";
import { type Names, nameOf } from "./names.ts";
import { Endpoint, HttpCell, MoneyCell } from "./request-cells.tsx";

/** The columns of a long list of requests; each has a fixed width, so that rows keep theirs as they scroll by. */
export const requestColumns = ({ plans }: Names, role: Role): DataColumns<RequestRecord> => [
  {
    id: "at",
    head: "Time",
    className: "sm:w-24 max-sm:row-start-4 max-sm:text-ink-2",
    // The day of an older request is a separate line: two lines fit the height of the row.
    cell: ({ at }) => (
      <TimeAgo at={at} form="clock" className="sm:block sm:whitespace-normal sm:leading-none" />
    ),
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
    id: "plan",
    head: "Plan",
    phone: "hidden",
    className: "truncate sm:w-28 max-lg:hidden",
    cell: (row) => <span title={nameOf(plans, row.planId)}>{nameOf(plans, row.planId)}</span>,
  },
  ...(role === "builder" ? [CUSTOMER] : []),
  { id: "http", head: "HTTP", className: "sm:w-17", cell: (row) => <HttpCell record={row} /> },
  {
    id: "money",
    head: "Payment",
    phone: "end",
    className: "sm:w-52",
    cell: (row) => (
      <span className="inline-flex items-center gap-2">
        <PhaseStrip record={row} />
        <MoneyCell record={row} />
      </span>
    ),
  },
  {
    id: "cause",
    head: "Cause and next step",
    className: "sm:w-60 2xl:w-76 max-sm:col-span-full max-sm:row-start-3 max-md:sm:hidden",
    cell: (row) => <CauseCell record={row} role={role} />,
  },
  {
    id: "took",
    head: "Duration",
    align: "end",
    phone: "end",
    className: "sm:w-24 max-sm:row-start-4 max-xl:sm:hidden",
    cell: (row) => msText(tookMs(row)),
  },
];

const CUSTOMER: DataColumn<RequestRecord> = {
  id: "payer",
  head: "Customer",
  phone: "hidden",
  className: "sm:w-31 max-2xl:hidden",
  cell: ({ payer }) =>
    payer ? <Address value={payer} name="customer" isCopyable={false} /> : "Not identified",
};

type CauseCellProps = { record: RequestRecord; role: Role };

/** Why a request was not paid and who acts, with the button where that is the reader; credits where it was paid. */
function CauseCell({ record, role }: CauseCellProps) {
  const { title, action } = summarizeAttempt(record, role);
  if (title === "") {
    const isCharged = record.moneyStatus === "settled";
    return <span className="text-ink-2">{isCharged ? chargeText(record) : "–"}</span>;
  }
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="truncate" title={title}>
        {title}
      </span>
      <WhoActsTag whoActs={record.whoActs} role={role} />
      {action && (
        <NearLink href={action.href} className="link relative z-1 whitespace-nowrap">
          {action.label}
        </NearLink>
      )}
    </span>
  );
}
