"use client";

import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import Link from "next/link";
import { DefinitionList, type Definitions } from "../ui/data/definition-list.tsx";
import { Waterfall } from "../ui/data/waterfall.tsx";
import { Address } from "../ui/values/address.tsx";
import { Credits } from "../ui/values/credits.tsx";
import { HttpStatus } from "../ui/values/http-status.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { moneyStory } from "./money-story.ts";
import { type Names, nameOf } from "./names.ts";
import { MoneyCell } from "./request-cells.tsx";
import { msText, tookMs, traceLanes } from "./trace-spans.ts";

export type RequestTraceProps = { record: RequestRecord; role: Role; names: Names };

/** One request: its HTTP and payment statuses, its waterfall and its facts. */
export function RequestTrace({ record, role, names }: RequestTraceProps) {
  const { title, text } = moneyStory(record, role);
  const lanes = traceLanes(record);
  const { httpStatus, reason } = record;
  const isCode = reason !== undefined && /^\w+$/.test(reason);
  return (
    <>
      <div className="grid gap-2 px-5 py-4 max-sm:px-4">
        <div className="flex flex-wrap items-center gap-2">
          {httpStatus !== undefined && <HttpStatus status={httpStatus} />}
          <MoneyCell record={record} />
          <span className="ms-auto text-ink-2 tabular-nums">{msText(tookMs(record))}</span>
        </div>
        <div role="status" className="grid gap-1">
          <p className="text-h3">{title}</p>
          <p className="text-ink-2">{text}</p>
        </div>
        {(isCode || record.chainStatus !== "none") && (
          <p className="flex flex-wrap gap-x-4 font-mono text-ink-2 text-small">
            {isCode && <span>reason: {reason}</span>}
            {record.chainStatus !== "none" && <span>chainStatus: {record.chainStatus}</span>}
          </p>
        )}
      </div>
      <div className="border-line border-t px-5 py-4 max-sm:px-4">
        {lanes.length > 0 ? (
          <>
            <Waterfall label="Verify, work and settle of this request" lanes={lanes} />
            <p className="mt-3 text-ink-2 text-small">
              The agent’s own trace is separate and has the same request ID. Its inner spans are in
              the agent’s tracing backend.
            </p>
          </>
        ) : (
          <p className="text-ink-2 text-note">
            The agent’s gate reported no durations for this request. The ledger’s times are below.
          </p>
        )}
      </div>
      <div className="border-line border-t px-5 py-3 max-sm:px-4">
        <DefinitionList items={factsOf(record, role, names)} />
      </div>
    </>
  );
}

function factsOf(record: RequestRecord, role: Role, names: Names): Definitions {
  const { agentRequestId, planId, agentId, payer, credits, moneyStatus, scheme } = record;
  return [
    {
      term: "Credits",
      value:
        moneyStatus === "settled" ? (
          <>
            <Credits credits={credits} /> charged
          </>
        ) : credits === "0" ? (
          "None"
        ) : (
          <>
            <Credits credits={credits} /> requested, 0 charged
          </>
        ),
    },
    planId !== undefined && {
      term: "Plan",
      value: (
        <Link
          href={role === "builder" ? `/plans/${planId}` : `/p/${planId}`}
          className="link inline-flex min-h-6 items-center"
        >
          {nameOf(names.plans, planId)}
        </Link>
      ),
    },
    agentId !== undefined && {
      term: "Agent",
      value:
        role === "builder" ? (
          <Link href={`/agents/${agentId}`} className="link inline-flex min-h-6 items-center">
            {nameOf(names.agents, agentId)}
          </Link>
        ) : names.agents[agentId] ? (
          names.agents[agentId]
        ) : (
          <Identifier value={agentId} name="agent id" />
        ),
    },
    payer !== undefined && { term: "Payer", value: <Address value={payer} name="payer" /> },
    scheme !== undefined && { term: "Scheme", value: <code className="text-small">{scheme}</code> },
    { term: "Request ID", value: <Identifier value={agentRequestId} name="request id" /> },
    timeFact("Verified", record.verifiedAt),
    timeFact("Settled", record.settledAt),
    timeFact("Reservation ended", record.releasedAt),
    !record.verifiedAt && !record.settledAt && timeFact("Received", record.at),
    record.transaction !== "" && {
      term: "Transaction",
      value: <Address value={record.transaction} name="transaction" />,
    },
    record.settlementId !== undefined && {
      term: "Receipt",
      value: (
        <Link
          href={`/receipts/${record.settlementId}`}
          className="link inline-flex min-h-6 items-center"
        >
          Open receipt
        </Link>
      ),
    },
  ];
}

const timeFact = (term: string, at: string | undefined) =>
  at !== undefined && { term, value: <TimeAgo at={at} form="full" /> };
