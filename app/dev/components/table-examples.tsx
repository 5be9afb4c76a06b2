"use client";

import type { MoneyStatus as Money } from "@turnpike/payments/protocol";
import { type ReactNode, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { DataTable } from "@/components/ui/data/data-table.tsx";
import { actionsColumn, type DataColumns } from "@/components/ui/data/data-table-columns.ts";
import { Pagination } from "@/components/ui/data/pagination.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { ErrorState } from "@/components/ui/error-state.tsx";
import { FilterChips } from "@/components/ui/fields/filter-chips.tsx";
import { IconButton } from "@/components/ui/icon-button.tsx";
import { Menu } from "@/components/ui/overlays/menu.tsx";
import { SidePanel } from "@/components/ui/overlays/side-panel.tsx";
import { Credits } from "@/components/ui/values/credits.tsx";
import { HttpStatus } from "@/components/ui/values/http-status.tsx";
import { MoneyStatus } from "@/components/ui/values/money-status.tsx";
import { TimeAgo } from "@/components/ui/values/time-ago.tsx";
import { Example, ExampleSection } from "./example-section.tsx";

type Call = {
  id: string;
  at: string;
  method: string;
  path: string;
  status: number;
  money: Money;
  credits?: string;
  tookMs: number;
};

const CALLS: Call[] = [
  {
    id: "req_9Lc4vN1sHy7uZa36",
    at: "2026-11-21T14:08:51.000Z",
    method: "POST",
    path: "/v1/extract",
    status: 200,
    money: "settled",
    credits: "4",
    tookMs: 2_310,
  },
  {
    id: "req_2FxT8mKq4WbR1Qe71",
    at: "2026-11-21T13:48:33.000Z",
    method: "POST",
    path: "/v1/ask",
    status: 200,
    money: "delivered-unsettled",
    tookMs: 1_612,
  },
  {
    id: "req_7PdS3nVz9XcL5Mf08",
    at: "2026-11-21T13:36:47.000Z",
    method: "POST",
    path: "/v1/filings/:cik/exhibits/:n/summary",
    status: 500,
    money: "not-charged",
    tookMs: 3_240,
  },
];
const NONE: Call[] = [];

const columns: DataColumns<Call> = [
  {
    id: "at",
    head: "Time",
    className: "text-ink-2",
    cell: ({ at }) => <TimeAgo at={at} form="clock" />,
  },
  {
    id: "path",
    head: "Endpoint",
    phone: "title",
    opens: true,
    cell: (row) => (
      <span className="font-mono">
        <span className="text-ink-2 text-small">{row.method}</span>{" "}
        <span className="wrap-anywhere">{row.path}</span>
      </span>
    ),
  },
  {
    id: "status",
    head: "HTTP",
    phone: "end",
    cell: ({ status }) => <HttpStatus status={status} />,
  },
  { id: "money", head: "Payment", cell: ({ money }) => <MoneyStatus status={money} /> },
  {
    id: "credits",
    head: "Credits",
    align: "end",
    phone: "hidden",
    cell: ({ credits }) => (credits ? <Credits credits={credits} /> : "–"),
  },
  {
    id: "tookMs",
    head: "Duration",
    align: "end",
    phone: "end",
    cell: ({ tookMs }) => `${tookMs.toLocaleString("en-US")} ms`,
  },
  actionsColumn(
    (row) => (
      <Menu
        trigger={<IconButton icon="dots" label={`More about ${row.id}`} />}
        groups={[
          [{ label: "Copy request ID", icon: "copy" }],
          [{ label: "Write off", icon: "cross", isDanger: true }],
        ]}
      />
    ),
    { phone: "hidden" },
  ),
];

const idOf = ({ id }: Call) => id;

export function TableExamples() {
  const [openId, setOpenId] = useState<string>();
  const at = CALLS.findIndex(({ id }) => id === openId);
  const open = CALLS[at];
  const stepTo = (call: Call | undefined) => call && (() => setOpenId(call.id));
  return (
    <ExampleSection
      id="table"
      title="Table"
      about="Rows are 40 px, the head 32 px. The open row is tinted, with an accent edge. On a phone each row is one block."
    >
      <FilterChips
        chips={[
          { key: "money", field: "Payment is", value: "Settled", remove: () => {} },
          { key: "time", field: "Time", value: "13:00 to 14:10", remove: () => {} },
        ]}
        addable={[{ label: "Agent" }, { label: "Plan" }, { label: "Payer" }]}
        clear={() => {}}
      />
      <DataTable
        caption="Example requests"
        columns={columns}
        rows={CALLS}
        rowId={idOf}
        openId={openId}
        onOpen={({ id }) => setOpenId(id)}
        foot="3 of 1,758"
        footActions={<Pagination label="requests" older={() => {}} />}
      />
      <SidePanel
        isOpen={open !== undefined}
        onOpenChange={() => setOpenId(undefined)}
        title={open && `${open.method} ${open.path}`}
        hasArrows
        onPrevious={stepTo(CALLS[at - 1])}
        onNext={stepTo(CALLS[at + 1])}
        footer={<Button look="primary">Settle up to 1 credit</Button>}
      >
        <div className="grid gap-3 p-5">
          {open && <MoneyStatus status={open.money} />}
          <p className="text-h3">The agent responded. Payment is not confirmed.</p>
        </div>
      </SidePanel>
      <TableStates />
    </ExampleSection>
  );
}

/** What a table shows in place of its rows. */
function TableStates() {
  return (
    <div className="grid gap-5 xl:grid-cols-2">
      <Body name="Loading" isLoading />
      <Body
        name="Filtered"
        empty={
          <Empty
            kind="filtered"
            title="No matching requests"
            actions={<Button>Clear filters</Button>}
          >
            Payment is Unknown, time is 13:00 to 14:10
          </Empty>
        }
      />
      <Body
        name="Empty"
        empty={
          <Empty
            kind="first"
            title="No requests yet"
            actions={<Button look="primary">Open the playground</Button>}
          >
            Requests appear here with their payment status.
          </Empty>
        }
      />
      <Body
        name="Error"
        error={
          <ErrorState
            title="Requests could not be loaded"
            onRetry={() => {}}
            requestId="req_9Lc4vN1sHy7uZa36"
          >
            Nothing was charged.
          </ErrorState>
        }
      />
    </div>
  );
}

type BodyProps = { name: string; isLoading?: boolean; empty?: ReactNode; error?: ReactNode };

function Body({ name, ...body }: BodyProps) {
  return (
    <div className="*:w-full">
      <Example name={name}>
        <div className="w-full">
          <DataTable
            caption={`Requests, ${name.toLowerCase()}`}
            columns={SHORT}
            rows={NONE}
            rowId={idOf}
            {...body}
          />
        </div>
      </Example>
    </div>
  );
}

const SHORT: DataColumns<Call> = [
  { id: "at", head: "Time" },
  { id: "path", head: "Endpoint" },
  { id: "tookMs", head: "Duration", align: "end" },
];
