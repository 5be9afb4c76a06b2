import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import type { ReactNode } from "react";
import { summarizeAttempt } from "@/lib/console/attempt-causes.ts";
import { plural } from "@/lib/text/plural.ts";
import { ButtonLink } from "../ui/button-link.tsx";
import { cn } from "../ui/cn.ts";
import { DefinitionList, type Definitions } from "../ui/data/definition-list.tsx";
import { StepTimeline } from "../ui/data/step-timeline.tsx";
import { Waterfall } from "../ui/data/waterfall.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { Address } from "../ui/values/address.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { attemptSteps } from "./attempt/attempt-steps.ts";
import { EvidenceList } from "./attempt/evidence-list.tsx";
import { isReader, whoText } from "./attempt/who-acts-tag.tsx";
import { chargeText, isTransfer } from "./charge-text.ts";
import { msText, tookMs } from "./durations.ts";
import { activityHref } from "./filter/activity-filter.ts";
import { moneyStory } from "./money-story.ts";
import { type Names, nameOf } from "./names.ts";
import { traceLanes } from "./trace-spans.ts";

export type RequestTraceProps = {
  record: RequestRecord;
  role: Role;
  names: Names;
  /** On a full page: parts are cards beside each other. */
  isPage?: boolean;
};

/** One request as one side reads it: its outcome and who acts, what happened, the evidence, and what it belongs to. */
export function RequestTrace({ record, role, names, isPage = false }: RequestTraceProps) {
  const lanes = traceLanes(record);
  const took = tookMs(record);
  const meta = record.seller ? "" : "The same record for both sides";
  return (
    <div
      className={cn(
        "grid items-start",
        isPage
          ? "gap-5 xl:grid-cols-[minmax(0,1fr)_320px]"
          : "[&>*+*]:border-line [&>*+*]:border-t",
      )}
    >
      <Verdict record={record} role={role} isPage={isPage} />
      <div
        className={cn("grid min-w-0", isPage ? "gap-5" : "[&>*+*]:border-line [&>*+*]:border-t")}
      >
        <Part title="What happened" isPage={isPage} meta={took === undefined ? meta : msText(took)}>
          {lanes.length > 0 && (
            <div className="mb-4">
              <Waterfall label="Verify, work and settle of this request" lanes={lanes} />
            </div>
          )}
          <StepTimeline label="Phases" steps={attemptSteps(record, role)} isCompact />
        </Part>
        <Part title="Evidence" isPage={isPage}>
          <EvidenceList record={record} role={role} />
        </Part>
      </div>
      <Part title="Related" isPage={isPage}>
        <DefinitionList items={relatedOf(record, role, names)} />
      </Part>
    </div>
  );
}

type PartProps = { title: string; meta?: string; isPage: boolean; children: ReactNode };

function Part({ title, meta, isPage, children }: PartProps) {
  return (
    <section
      className={cn(
        "min-w-0 px-5 py-4 max-sm:px-4",
        isPage && "rounded-card border border-line bg-surface",
      )}
    >
      <div className="mb-3 flex items-baseline gap-3">
        <h2 className="text-h3">{title}</h2>
        {meta && <p className="ms-auto text-ink-2 text-note tabular-nums">{meta}</p>}
      </div>
      {children}
    </section>
  );
}

const EDGES: Partial<Record<RequestRecord["moneyStatus"], string>> = {
  settled: "border-s-settled",
  "delivered-unsettled": "border-s-unsettled",
  unknown: "border-s-unsettled",
  refused: "border-s-refused",
  challenged: "border-s-challenged",
};

/** What became of the request, who must act, and the button that ends it. */
function Verdict({ record, role, isPage }: Omit<RequestTraceProps, "names">) {
  const { title, text } = moneyStory(record, role);
  const { cause, whoActs, httpStatus } = record;
  const { title: causeText, action } = summarizeAttempt(record, role);
  const facts = [
    ...(causeText ? [{ term: "Cause", value: causeText, note: cause }] : []),
    ...(causeText || whoActs
      ? [{ term: "Who must act", value: whoText(whoActs, role), note: whoNote(record, role) }]
      : []),
    chargeFact(record),
    {
      term: "Response",
      value: httpStatus ?? "Not reported",
      note: record.workMs === undefined ? undefined : `in ${msText(record.workMs)}`,
    },
  ];
  return (
    <section
      className={cn(
        "min-w-0",
        isPage && "rounded-card border border-line bg-surface xl:col-span-2",
        "border-s-3",
        EDGES[record.moneyStatus] ?? "border-s-line-control",
      )}
    >
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3 px-5 py-4 max-sm:px-4">
        <div role="status" className="grid min-w-0 flex-1 basis-72 gap-1">
          <p className="text-h3">{title}</p>
          <p className="max-w-[68ch] text-ink-2">{text}</p>
        </div>
        {action && (
          <ButtonLink href={action.href} look="primary">
            {action.label}
          </ButtonLink>
        )}
      </div>
      <dl
        className={cn(
          "grid grid-cols-2 border-line border-t",
          isPage && facts.length > 2 && "lg:grid-cols-4",
        )}
      >
        {facts.map(({ term, value, note }, index) => (
          <div
            key={term}
            className={cn(
              "grid min-w-0 content-start border-line px-5 py-3 text-note max-sm:px-4",
              index % 2 === 1 && "border-s",
              index > 1 && (isPage ? "max-lg:border-t" : "border-t"),
              isPage && index > 0 && "lg:border-s",
            )}
          >
            <dt className="text-ink-2 text-small">{term}</dt>
            <dd className="wrap-anywhere font-medium">{value}</dd>
            {note && <dd className="wrap-anywhere text-ink-2 text-small">{note}</dd>}
          </div>
        ))}
      </dl>
    </section>
  );
}

function whoNote({ whoActs }: RequestRecord, role: Role): string {
  if (whoActs === undefined) return "Nothing to do";
  return isReader(whoActs, role) ? "Only you can resolve this" : "Nothing for you to do";
}

function chargeFact(record: RequestRecord) {
  const { moneyStatus, credits, paid } = record;
  const term = paid ? "Price" : "Credits";
  const amount = chargeText(record);
  const used = paid && credits !== "0" ? { note: `${plural(BigInt(credits), "credit")} used` } : {};
  if (moneyStatus === "settled") return { term: "Charged", value: amount, ...used };
  if (!paid && credits === "0") return { term, value: "None charged" };
  return { term, value: "0 charged", note: `${amount} requested` };
}

function relatedOf(record: RequestRecord, role: Role, names: Names): Definitions {
  const { agentRequestId, planId, agentId, payer, seller, delegationId, scheme } = record;
  const tokenId = isTransfer(record) ? undefined : record.tokenId;
  const isBuilder = role === "builder";
  const agent = nameOf(names.agents, agentId);
  return {
    [isBuilder ? "Customer" : "Payer"]:
      payer !== undefined &&
      (isBuilder ? (
        <Calls of={{ role, payer }}>
          <Address value={payer} name="payer" isCopyable={false} />
        </Calls>
      ) : (
        "You"
      )),
    Seller: seller !== undefined && <Address value={seller} name="seller" />,
    Agent:
      agentId !== undefined &&
      (isBuilder ? <Open href={`/agents/${agentId}`}>{agent}</Open> : agent),
    Plan: planId !== undefined && (
      <Open href={isBuilder ? `/plans/${planId}` : `/p/${planId}`}>
        {nameOf(names.plans, planId)}
      </Open>
    ),
    "Access token":
      tokenId !== undefined &&
      (isBuilder ? (
        <Calls of={{ role, tokenId }}>
          <IdText value={tokenId} />
        </Calls>
      ) : (
        <Open href={`/tokens/${tokenId}`}>
          <IdText value={tokenId} />
        </Open>
      )),
    Delegation: delegationId !== undefined && (
      <Open href={`/delegations/${delegationId}`}>
        <IdText value={delegationId} />
      </Open>
    ),
    Scheme: scheme !== undefined && <code className="text-small">{scheme}</code>,
    "Request ID": <Identifier value={agentRequestId} name="request ID" />,
  };
}

const Open = ({ href, children }: { href: string; children: ReactNode }) => (
  <NearLink href={href} className="link inline-flex min-h-6 items-center">
    {children}
  </NearLink>
);

const Calls = ({
  of,
  children,
}: {
  of: { role: Role; payer?: string; tokenId?: string };
  children: ReactNode;
}) => <Open href={activityHref({ range: "30d", money: [], ...of })}>{children}</Open>;

const IdText = ({ value }: { value: string }) => (
  <span title={value} className="font-mono text-small">
    {shortenIdentifier(value)}
  </span>
);
