"use client";

import { type ReactNode, useEffect, useRef } from "react";
import {
  changeText,
  compareReports,
  type KeptReport,
  keepReport,
} from "@/lib/probe/report/compare-reports.ts";
import { junitOf } from "@/lib/probe/report/junit.ts";
import {
  countFindings,
  type DoctorFinding,
  type DoctorReport,
  jsonOf,
  sortFindings,
  summarizeReport,
  worstOf,
} from "@/lib/probe/report/report.ts";
import { CopyPrompt } from "../agents/copy-prompt.tsx";
import { fixPrompt } from "../agents/fix-prompt.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { dateText } from "../ui/values/time-text.ts";
import { FindingRow } from "./finding-row.tsx";
import { saveText } from "./save-text.ts";

const WORST = {
  error: { tone: "bad", word: "Errors" },
  warning: { tone: "warn", word: "Warnings" },
  info: { tone: "neutral", word: "Notes" },
} as const;

type ReportViewProps = {
  report: DoctorReport;
  /** The endpoint's previous report, if this browser has it. */
  before?: KeptReport | undefined;
  children?: ReactNode;
};

/** The report of an endpoint: a summary, then every check with its result. */
export function ReportView({ report, before, children }: ReportViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { findings, verb, url, checkedAt } = report;
  // A new report takes the focus, as the response to the button.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each report has its own time.
  useEffect(() => heading.current?.focus(), [checkedAt]);
  const sorted = sortFindings(findings);
  const groups = [
    ["Failed", sorted.filter(({ state }) => state === "fail")],
    ["Passed", sorted.filter(({ state }) => state === "pass")],
    ["Skipped", sorted.filter(({ state }) => state === "skip")],
  ] as const;
  const worst = worstOf(findings);
  const { passed, skipped } = countFindings(findings);
  const faults = groups[0][1];
  return (
    <section className="grid gap-4" data-testid="doctor-report" data-worst={worst ?? "none"}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 ref={heading} tabIndex={-1} className="text-h2 tabular-nums outline-none">
          {summarizeReport(report)}
        </h2>
        <StatePill tone={worst ? WORST[worst].tone : "good"}>
          {worst ? WORST[worst].word : "Passed"}
        </StatePill>
        <p className="basis-full text-ink-2 text-note wrap-anywhere">
          <code>
            {verb} {url}
          </code>
          , {passed} passed, {skipped} skipped
        </p>
        {before && (
          <p className="basis-full text-note" data-testid="doctor-change">
            <span className="text-ink-2">
              Since the report of{" "}
              <time dateTime={before.checkedAt}>{instantText(before.checkedAt)}</time>:
            </span>{" "}
            {changeText(compareReports(before, keepReport(report)))}
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          onClick={() => saveText(`${nameOf(report)}.json`, jsonOf(report), "application/json")}
        >
          Download JSON
        </Button>
        <Button
          onClick={() => saveText(`${nameOf(report)}.xml`, junitOf(report), "application/xml")}
        >
          Download JUnit XML
        </Button>
        <CopyPrompt text={() => jsonOf(report)}>Copy JSON</CopyPrompt>
        {faults.length > 0 && (
          <CopyPrompt
            text={() => fixPrompt({ name: url, planIds: [] }, [], faults.flatMap(asFault))}
          />
        )}
      </div>
      {children}
      {groups
        .filter(([, found]) => found.length > 0)
        .map(([title, found]) => (
          <Card key={title}>
            <h3 className="mb-1 text-h3">
              {title} <span className="font-normal text-ink-2 tabular-nums">{found.length}</span>
            </h3>
            <ul>
              {found.map((finding) => (
                <FindingRow key={finding.id} finding={finding} />
              ))}
            </ul>
          </Card>
        ))}
    </section>
  );
}

/** `22 Nov 2026 08:00 UTC` */
const instantText = (iso: string): string => `${dateText(new Date(iso))} ${iso.slice(11, 16)} UTC`;

const asFault = ({ state, ...finding }: DoctorFinding) =>
  state === "fail" ? [{ ...finding, state } as const] : [];

function nameOf({ url, checkedAt }: DoctorReport): string {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/[^\w.-]/g, "") : "endpoint";
  return `doctor-${host}-${checkedAt.slice(0, 10)}`;
}
