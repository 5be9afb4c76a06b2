"use client";

import { decodeHeader, X402_HEADERS } from "@turnpike/payments/protocol";
import type { ReactNode } from "react";
import type { Exchange } from "@/lib/playground/exchange.ts";
import { headerOf } from "@/lib/playground/exchange.ts";
import { curlOf, fetchCodeOf, playwrightCodeOf, sdkCodeOf } from "@/lib/playground/export-code.ts";
import { type Run, STEPS, type StepId, type StepResult } from "@/lib/playground/run.ts";
import { CodeTabs } from "../ui/code-tabs.tsx";
import { DiffView } from "../ui/diff-view.tsx";
import { JsonTree } from "../ui/json-tree.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Waterfall } from "../ui/waterfall.tsx";
import { Body, Headers, Raw } from "./exchange-tabs.tsx";
import { ExplainedStep } from "./explained-step.tsx";
import { Nothing } from "./nothing.tsx";
import { spansOf } from "./spans.ts";

export type InspectorPaneProps = {
  run: Run | null;
  opened: StepId;
  /** The run before this one, to compare with. */
  before: Run | null;
  service: { origin: string; environment: string };
  /** What the outcome of the open step lets a person do. */
  action: ReactNode;
};

/** One step of a run, from what it means down to its bytes. */
export function InspectorPane({ run, opened, before, service, action }: InspectorPaneProps) {
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
        tabs={[
          {
            value: "explain",
            label: "Explain",
            content: <ExplainedStep step={step} action={action} />,
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

/** Steps between the two requests look at the one before them. */
function exchangeOf(run: Run, opened: StepId): Exchange | null {
  const source: StepId = opened === "pay" || opened === "settle" ? "pay" : "ask";
  return run.steps.find(({ id }) => id === source)?.exchange ?? null;
}

function Decoded({ run, step }: { run: Run; step: StepResult }) {
  const receipt = headerOf(
    run.steps.find(({ id }) => id === "pay")?.exchange?.answer ?? null,
    X402_HEADERS.PAYMENT_RESPONSE,
  );
  const ask = run.steps.find(({ id }) => id === "ask")?.exchange?.answer ?? null;
  const offer = headerOf(ask, X402_HEADERS.PAYMENT_REQUIRED);
  const isReceipt = step.id === "settle" || step.id === "pay";
  const text = isReceipt ? receipt : offer;
  const name = isReceipt ? X402_HEADERS.PAYMENT_RESPONSE : X402_HEADERS.PAYMENT_REQUIRED;
  const decoded = text === null ? null : decodeHeader(text);
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
