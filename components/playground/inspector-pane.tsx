"use client";

import { decodeHeader, X402_HEADERS } from "@turnpike/payments/protocol";
import type { ReactNode } from "react";
import type { Exchange } from "@/lib/playground/exchange.ts";
import { curlOf, fetchCodeOf, playwrightCodeOf, sdkCodeOf } from "@/lib/playground/export-code.ts";
import { describeOutcome } from "@/lib/playground/outcomes.ts";
import { type Fact, type Run, STEPS, type StepId, type StepResult } from "@/lib/playground/run.ts";
import { CodeTabs } from "../ui/code-tabs.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { DefinitionList } from "../ui/definition-list.tsx";
import { DiffView } from "../ui/diff-view.tsx";
import { Icon } from "../ui/icon.tsx";
import { Identifier } from "../ui/identifier.tsx";
import { JsonTree } from "../ui/json-tree.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Waterfall } from "../ui/waterfall.tsx";
import { CopyHeader } from "./copy-header.tsx";
import { exchangeOf, type InspectorView, readHeaderOf } from "./inspector-view.ts";
import { LongText } from "./long-text.tsx";
import { spansOf } from "./spans.ts";

export type InspectorPaneProps = {
  run: Run | null;
  opened: StepId;
  /** The open tab. */
  view: InspectorView;
  onView: (view: InspectorView) => void;
  /** The run before this one, to compare with. */
  before: Run | null;
  service: { origin: string; environment: string };
  /** What the outcome of the open step lets a person do. */
  action: ReactNode;
};

/** One step of a run, from what it means down to its bytes. */
export function InspectorPane(props: InspectorPaneProps) {
  const { run, opened, view, onView, before, service, action } = props;
  const step = run?.steps.find(({ id }) => id === opened);
  if (!run || !step) {
    return (
      <section aria-label="Inspector" className="p-4 text-ink-2 text-note">
        Run a request to see what each step means, which rule it follows, and what to do next.
      </section>
    );
  }
  const exchange = exchangeOf(run, opened);
  return (
    <section aria-label="Inspector" className="min-w-0 px-4 pb-8">
      <Tabs
        label={`Step ${STEPS.findIndex(({ id }) => id === opened) + 1}`}
        // All eight stand in view: in one row in a pane of the usual width, in two where it is narrower.
        className="*:[[role=tablist]]:flex-wrap *:[[role=tablist]]:gap-x-3"
        value={view}
        onValueChange={(next) => onView(next as InspectorView)}
        tabs={[
          {
            value: "explain",
            label: "Explain",
            content: <Explain run={run} step={step} action={action} />,
          },
          { value: "headers", label: "Headers", content: <Headers exchange={exchange} /> },
          { value: "body", label: "Body", content: <Body exchange={exchange} /> },
          { value: "decoded", label: "Decoded", content: <Decoded run={run} step={step} /> },
          { value: "diff", label: "Diff", content: <Diff run={run} before={before} /> },
          { value: "spans", label: "Spans", content: <Spans run={run} /> },
          { value: "code", label: "Code", content: <Code run={run} service={service} /> },
          { value: "raw", label: "Raw", content: <Raw exchange={exchange} /> },
        ]}
      />
    </section>
  );
}

type ExplainProps = { run: Run; step: StepResult; action: ReactNode };

function Explain({ run, step, action }: ExplainProps) {
  if (!step.outcome) return <Nothing>This step has not run.</Nothing>;
  const { verdict, why, rule, spec, next } = describeOutcome(step.outcome, step.values);
  const header = step.id === "settle" ? readHeaderOf(run, step.id) : null;
  return (
    <div className="grid gap-5">
      <DefinitionList
        className="*:items-start"
        items={[
          { term: "What", value: verdict },
          { term: "Why", value: why },
          {
            term: "Rule",
            value: (
              <>
                {rule} {spec !== "-" && <span className="text-ink-2">Spec {spec}.</span>}
              </>
            ),
          },
          { term: "Next", value: next },
        ]}
      />
      {step.facts.length > 0 && <Facts facts={step.facts} />}
      {(action || header) && (
        <div className="flex flex-wrap gap-2">
          {header && <CopyHeader {...header} />}
          {action}
        </div>
      )}
      <p className="text-ink-2 text-small">
        <code className="text-small">{step.outcome}</code>
        {step.reason && step.reason !== step.outcome && (
          <>
            , the service said <code className="text-small">{step.reason}</code>
          </>
        )}
      </p>
    </div>
  );
}

/** Addresses and transactions: too long to be read, so they are shortened and copied. */
const HEX = /^0x[0-9a-f]{40,}$/i;

function Facts({ facts }: { facts: Fact[] }) {
  return (
    <div className="min-w-0">
      <h3 className="mb-1 text-h3">What was found</h3>
      <ul>
        {facts.map(({ name, value, holds, note }) => (
          <li
            key={name}
            className="grid grid-cols-[minmax(0,5fr)_minmax(0,4fr)] gap-x-3 border-line border-t py-1.5 text-note last:border-b"
          >
            <span className="wrap-anywhere font-mono text-small leading-4.5">{name}</span>
            <span className="wrap-anywhere font-medium font-mono text-small leading-4.5">
              {HEX.test(value) ? <Identifier value={value} name={name} /> : value}
            </span>
            <span className="col-span-2 flex items-start gap-1.5 text-ink-2 text-small">
              <Icon
                name={holds === null ? "info" : holds ? "tick" : "cross"}
                className={`size-4 ${holds === null ? "" : holds ? "text-settled" : "text-refused"}`}
              />
              {note || "not checked here"}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const PROTOCOL: string[] = Object.values(X402_HEADERS);

function Headers({ exchange }: { exchange: Exchange | null }) {
  if (!exchange?.answer) return <Nothing>There was no answer.</Nothing>;
  const rank = (name: string) => (PROTOCOL.includes(name.toLowerCase()) ? 0 : 1);
  const sorted = exchange.answer.headers.toSorted(([a], [b]) => rank(a) - rank(b));
  return (
    <ul className="grid gap-3">
      {sorted.map(([name, value], index) => {
        const decoded = rank(name) === 0 ? decodeHeader(value) : null;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a header may stand twice with one value.
          <li key={`${name}${index}`} className="min-w-0">
            <div className="flex items-start gap-2">
              <p className="wrap-anywhere min-w-0 flex-1 font-mono text-small">
                <span className="text-ink-2">{name}: </span>
                {decoded === null ? value : `${value.length} characters of base64`}
              </p>
              <CopyButton text={value} label={`Copy ${name}`} />
            </div>
            {decoded !== null && (
              <div className="mt-1">
                <JsonTree value={decoded} label={`${name}, decoded`} openLevels={3} />
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Body({ exchange }: { exchange: Exchange | null }) {
  const answer = exchange?.answer;
  if (!answer) return <Nothing>There was no answer.</Nothing>;
  if (answer.body === "") return <Nothing>The answer has no body.</Nothing>;
  return (
    <div className="grid gap-2">
      {answer.cut && <p className="text-note">{answer.cut.message}</p>}
      <div className="flex items-center justify-between text-ink-2 text-note">
        <span>{answer.bytes.toLocaleString("en-US")} bytes, shown as text</span>
        <CopyButton text={answer.body} label="Copy body" />
      </div>
      <LongText text={pretty(answer.body)} label="Body" />
    </div>
  );
}

function Decoded({ run, step }: { run: Run; step: StepResult }) {
  const isReceipt = step.id === "settle" || step.id === "pay";
  const name = isReceipt ? X402_HEADERS.PAYMENT_RESPONSE : X402_HEADERS.PAYMENT_REQUIRED;
  const header = readHeaderOf(run, isReceipt ? "settle" : "offer");
  const decoded = header && decodeHeader(header.value);
  if (decoded === null) return <Nothing>No {name} that can be decoded.</Nothing>;
  return <JsonTree value={decoded} label={`${name}, decoded`} openLevels={4} />;
}

function Diff({ run, before }: { run: Run; before: Run | null }) {
  if (!before) return <Nothing>Run once more, or choose a run in the history to compare.</Nothing>;
  return (
    <DiffView
      label="What changed since the run before"
      before={summaryOf(before)}
      after={summaryOf(run)}
      beforeName={`Run of ${before.startedAt.slice(11, 19)}`}
      afterName={`Run of ${run.startedAt.slice(11, 19)}`}
    />
  );
}

/** A run as lines, with what differs each time by its nature left out. */
function summaryOf(run: Run): string {
  const lines = [
    `${run.input.method} ${run.input.url}`,
    `money: ${run.money ?? "none"}`,
    ...run.steps.flatMap(({ id, outcome, reason, exchange, facts }) => [
      `${id}: ${outcome ?? "not run"}${reason ? ` (${reason})` : ""}`,
      ...(exchange?.answer ? [`  status ${exchange.answer.status}`] : []),
      ...facts.map(({ name, value }) => `  ${name}: ${value}`),
    ]),
    JSON.stringify(run.requirement, null, 2) ?? "",
  ];
  return lines.join("\n");
}

function Spans({ run }: { run: Run }) {
  const spans = spansOf(run);
  if (spans.length === 0) return <Nothing>No step has run.</Nothing>;
  return <Waterfall label="Where the time went" lanes={[{ name: "Request", spans }]} />;
}

function Code({ run, service }: { run: Run; service: InspectorPaneProps["service"] }) {
  const { input } = run;
  const sdk = {
    ...input,
    baseUrl: service.origin,
    environment: service.environment,
    ...(input.maxCredits && { maxCredits: input.maxCredits }),
  };
  return (
    <CodeTabs
      label="This request as code"
      usesOwnIds
      samples={[
        { language: "curl", label: "cURL", code: curlOf(input) },
        { language: "ts", label: "SDK", code: sdkCodeOf(sdk) },
        { language: "fetch", label: "fetch", code: fetchCodeOf(input) },
        { language: "playwright", label: "Playwright", code: playwrightCodeOf(input) },
      ]}
    />
  );
}

function Raw({ exchange }: { exchange: Exchange | null }) {
  if (!exchange) return <Nothing>Nothing was sent.</Nothing>;
  const { request, answer, failure } = exchange;
  const lines = (headers: Exchange["request"]["headers"]) =>
    headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  const sent = `${request.method} ${request.url}\n${lines(request.headers)}\n\n${request.body ?? ""}`;
  const came = answer
    ? `${answer.status}\n${lines(answer.headers)}\n\n${answer.body}`
    : (failure?.message ?? "");
  return <LongText text={`${sent.trim()}\n\n${"-".repeat(24)}\n\n${came}`} label="Raw" />;
}

const Nothing = ({ children }: { children: ReactNode }) => (
  <p className="text-ink-2 text-note">{children}</p>
);

/** An answer up to this long is set out line by line; a longer one stands as it came. */
const MOST_SET_OUT = 100_000;

function pretty(text: string): string {
  if (text.length > MOST_SET_OUT) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
