import { decodeHeader, X402_HEADERS } from "@turnpike/payments/protocol";
import type { ReactNode } from "react";
import {
  curlOf,
  exactCentsOf,
  fetchCodeOf,
  isExactOnly,
  playwrightCodeOf,
  sdkCodeOf,
  stockCodeOf,
} from "@/lib/playground/export-code.ts";
import { type Run, type StepResult, stepNumber } from "@/lib/playground/run.ts";
import { CodeTabs } from "../../ui/data/code-tabs.tsx";
import { DiffView } from "../../ui/data/diff-view.tsx";
import { JsonTree } from "../../ui/data/json-tree.tsx";
import { Waterfall } from "../../ui/data/waterfall.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ExplainedStep } from "../timeline/explained-step.tsx";
import { spansOf } from "../timeline/spans.ts";
import { Body, Headers, Raw } from "./exchange-tabs.tsx";
import { exchangeOf, type InspectorView, readHeaderOf } from "./inspector-view.ts";
import { Nothing } from "./nothing.tsx";

export type InspectorTabsProps = {
  run: Run;
  step: StepResult;
  view: InspectorView;
  onView: (view: InspectorView) => void;
  before: Run | null;
  service: { origin: string; environment: string };
  /** The button for the outcome of the step. */
  action: ReactNode;
};

export function InspectorTabs(props: InspectorTabsProps) {
  const { run, step, view, onView, before, service, action } = props;
  const exchange = exchangeOf(run, step.id);
  return (
    <Tabs
      label={`Step ${stepNumber(step.id)}`}
      // All eight tabs stay visible: in one row in a pane of default width, in two where it is narrower.
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
  if (decoded === null) return <Nothing>No {name} header to decode.</Nothing>;
  return <JsonTree value={decoded} label={`${name}, decoded`} openLevels={4} />;
}

function Diff({ run, before }: { run: Run; before: Run | null }) {
  if (!before) return <Nothing>Run again, or choose a recent run to compare with.</Nothing>;
  return (
    <DiffView
      label="Changes since the earlier run"
      before={summaryOf(before)}
      after={summaryOf(run)}
      beforeName={`Run at ${before.startedAt.slice(11, 19)}`}
      afterName={`Run at ${run.startedAt.slice(11, 19)}`}
    />
  );
}

/** A run as lines, without the values that differ on every run. */
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
  return <Waterfall label="Time per step" lanes={[{ name: "Request", spans }]} />;
}

function Code({ run, service }: { run: Run; service: InspectorTabsProps["service"] }) {
  const { input } = run;
  const maxSpend = exactCentsOf(run.requirement);
  const sdk = {
    ...input,
    maxSpend,
    planId: run.planId,
    baseUrl: service.origin,
    ...(input.maxCredits && { maxCredits: input.maxCredits }),
  };
  const sdkSample = { language: "js", label: "SDK", code: sdkCodeOf(sdk) };
  // A payment by `exact` is signed for one request, so a snippet with a token in it could not repeat it.
  const samples = isExactOnly(run.requirement)
    ? [
        ...(maxSpend ? [sdkSample] : []),
        { language: "fetch", label: "@x402/fetch", code: stockCodeOf(input) },
      ]
    : [
        { language: "curl", label: "cURL", code: curlOf(input) },
        sdkSample,
        { language: "fetch", label: "fetch", code: fetchCodeOf(input) },
        { language: "playwright", label: "Playwright", code: playwrightCodeOf(input) },
      ];
  return <CodeTabs label="This request as code" usesOwnIds samples={samples} />;
}
