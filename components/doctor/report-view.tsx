import { canParseUrl } from "@turnpike/payments/protocol";
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
import { FINDING_LOOKS } from "../agents/finding-looks.ts";
import { fixPrompt } from "../agents/fix-prompt.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { CopyText } from "../ui/copy-text.tsx";
import { Icon } from "../ui/icon.tsx";
import { saveText } from "../ui/save-text.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import { minuteText } from "../ui/values/time-text.ts";

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
        <StatePill state={worst ? WORST[worst] : { tone: "good", word: "Passed" }} />
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
              <time dateTime={before.checkedAt}>{minuteText(new Date(before.checkedAt))}</time>:
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
        <CopyText text={() => jsonOf(report)}>Copy JSON</CopyText>
        {faults.length > 0 && (
          <CopyText
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

const asFault = ({ state, ...finding }: DoctorFinding) =>
  state === "fail" ? [{ ...finding, state } as const] : [];

function nameOf({ url, checkedAt }: DoctorReport): string {
  const host = canParseUrl(url) ? new URL(url).hostname.replace(/[^\w.-]/g, "") : "endpoint";
  return `doctor-${host}-${checkedAt.slice(0, 10)}`;
}

/** One check with its result; opens to show the request, the response and the fix. */
function FindingRow({ finding }: { finding: DoctorFinding }) {
  const { id, title, state, severity, sentence, asked, came, fix } = finding;
  const { icon, ink, word } = FINDING_LOOKS[state === "fail" ? severity : state];
  return (
    <li data-check={id} data-state={state} className="border-line not-last:border-b">
      <details open={state === "fail"} className="group">
        <summary className="grid min-h-11 cursor-pointer list-none grid-cols-[16px_2.5rem_minmax(0,1fr)_16px] items-center gap-x-2.5 py-1.5 text-note sm:min-h-9 [&::-webkit-details-marker]:hidden">
          <Icon name={icon} className={`size-4 ${ink}`} />
          <code className="text-ink-2 text-small">{id}</code>
          <span className="wrap-anywhere">
            <span className="font-medium">{title}</span>
            <span className={state === "fail" ? "text-ink-2" : "sr-only"}> {word}</span>
            {/* On wide screens, closed rows show the result as well. */}
            <span className="ms-3 text-ink-2 group-open:hidden max-lg:hidden">{sentence}</span>
          </span>
          <Icon
            name="down"
            className="size-3.5 text-ink-2 transition-transform group-open:rotate-180"
          />
        </summary>
        <dl className="grid gap-x-3 gap-y-1 pb-3 text-note wrap-anywhere sm:ms-[66px] sm:grid-cols-[5rem_minmax(0,1fr)]">
          <Line term="Result">{sentence}</Line>
          {asked && (
            <Line term="Request">
              <code className="text-small">{asked}</code>
            </Line>
          )}
          {came && <Line term="Response">{came}</Line>}
          {fix && <Line term="Fix">{fix}</Line>}
        </dl>
      </details>
    </li>
  );
}

function Line({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-ink-2">{term}</dt>
      <dd>{children}</dd>
    </>
  );
}
