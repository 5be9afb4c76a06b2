"use client";

import { decodeHeader, X402_HEADERS } from "@turnpike/payments/protocol";
import { curlOf, fetchCodeOf, playwrightCodeOf, sdkCodeOf } from "@/lib/playground/export-code.ts";
import { type Run, STEPS, type StepResult } from "@/lib/playground/run.ts";
import { CodeTabs } from "../../ui/data/code-tabs.tsx";
import { DiffView } from "../../ui/data/diff-view.tsx";
import { JsonTree } from "../../ui/data/json-tree.tsx";
import { Waterfall } from "../../ui/data/waterfall.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ExplainedStep } from "../timeline/explained-step.tsx";
import { spansOf } from "../timeline/spans.ts";
import { Body, Headers, Raw } from "./exchange-tabs.tsx";
import type { InspectorPaneProps } from "./inspector-pane.tsx";
import { exchangeOf, type InspectorView, readHeaderOf } from "./inspector-view.ts";
import { Nothing } from "./nothing.tsx";

type InspectorTabsProps = Omit<InspectorPaneProps, "run" | "opened"> & {
  run: Run;
  step: StepResult;
};

/** All there is to see of a step that may have run. */
export function InspectorTabs(props: InspectorTabsProps) {
  const { run, step, view, onView, before, service, action } = props;
  const exchange = exchangeOf(run, step.id);
  return (
    <Tabs
      label={`Step ${STEPS.findIndex(({ id }) => id === step.id) + 1}`}
      // All eight stand in view: in one row in a pane of the usual width, in two where it is narrower.
      className="*:[[role=tablist]]:flex-wrap *:[[role=tablist]]:gap-x-3"
      value={view}
      onValueChange={(next) => onView(next as InspectorView)}
      tabs={[
        {
          value: "explain",
          label: "Explain",
          content: <ExplainedStep run={run} step={step} action={action} />,
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
