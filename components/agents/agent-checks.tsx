"use client";

import { useRouter } from "next/navigation";
import type { Finding } from "@/lib/probe/report/probe.ts";
import { sortFindings } from "@/lib/probe/report/report.ts";
import { plural } from "@/lib/text/plural.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { cn } from "../ui/cn.ts";
import { CopyText } from "../ui/copy-text.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { type CheckRun, useCheckRun } from "./check-run.ts";
import { FINDING_LOOKS } from "./finding-looks.ts";
import { fixPrompt } from "./fix-prompt.ts";
import { ProbePill, ProbeSeen } from "./probe-pill.tsx";
import { UrlTemplate } from "./url-template.tsx";

type AgentChecksProps = {
  agent: { agentId: string; name: string; planIds: readonly string[]; needsLogin: boolean };
  /** Whether the agent was checked before, here or by its daily check. */
  isChecked: boolean;
};

/** Runs the checks that can't be charged, and shows each as it finishes. */
export function AgentChecks({ agent, isChecked }: AgentChecksProps) {
  const { run, isRunning, failure, start, stop } = useCheckRun({
    url: `/agents/${agent.agentId}/checks/run`,
    body: {},
  });
  const router = useRouter();
  /** What the run found is the agent's last run now. */
  const check = async () => {
    await start();
    router.refresh();
  };
  const { errors, warnings } = faultCounts(run ? findingsOf(run) : []);
  const isFirst = !isChecked && !run && !failure && !isRunning;
  return (
    <>
      {/* One row before and after the first run: the button keeps its focus. */}
      <div
        className={cn(
          "mb-4 flex flex-wrap items-center gap-3",
          isFirst && "rounded-card border border-line bg-surface p-(--card-pad)",
        )}
      >
        {isFirst && <FirstRun />}
        <RunStatus run={run} isRunning={isRunning} />
        <div className="ms-auto flex flex-wrap gap-2">
          {run && !isRunning && errors + warnings > 0 && (
            <CopyText text={() => fixPrompt(agent, run.endpoints, run.whole ?? [])} />
          )}
          {isRunning && <Button onClick={stop}>Stop</Button>}
          <Button look="primary" isPending={isRunning} onClick={() => void check()}>
            Run checks
          </Button>
        </div>
      </div>
      {agent.needsLogin && (
        <Notice className="mb-4" tone="info" title="This agent requires authentication.">
          Checks don’t use the saved credentials. Endpoints that authenticate before they ask for
          payment are reported as not reachable.
        </Notice>
      )}
      {failure && (
        <Notice tone="refused" title="The checks stopped early." role="alert">
          {failure} Nothing was charged.
        </Notice>
      )}
      {run && <RunResults run={run} isRunning={isRunning} />}
    </>
  );
}

const FirstRun = () => (
  <div className="min-w-0 flex-1 basis-72">
    <h2 className="text-h3">Not checked yet</h2>
    <p className="mt-1 max-w-[68ch] text-ink-2">
      Checks send about 30 requests to each endpoint, without a token and with invalid ones. None of
      them can be charged.
    </p>
  </div>
);

const findingsOf = ({ endpoints, whole }: CheckRun): Finding[] => [
  ...endpoints.flatMap(({ probe }) => probe?.findings ?? []),
  ...(whole ?? []),
];

function RunStatus({ run, isRunning }: { run: CheckRun | null; isRunning: boolean }) {
  const endpoints = run?.endpoints ?? [];
  const done = endpoints.filter(({ probe }) => probe).length;
  return (
    <p role="status" className="flex items-center gap-2">
      {isRunning && (
        <StatePill tone="running">{`${done} of ${endpoints.length} endpoints`}</StatePill>
      )}
      {!isRunning && run?.endedAt && (
        <span data-testid="check-counts" className="tabular-nums">
          {countsText(faultCounts(findingsOf(run)))}, checked at {run.endedAt.slice(11, 19)} UTC
        </span>
      )}
    </p>
  );
}

function RunResults({ run, isRunning }: { run: CheckRun; isRunning: boolean }) {
  return (
    <div className="grid gap-4">
      {run.endpoints.map(({ verb, url, probe }) => (
        <Card key={`${verb} ${url}`} data-probe={probe?.result ?? "none"}>
          <h2 className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 font-normal text-body">
            <code className="text-ink-2">{verb}</code>
            <UrlTemplate url={url} />
            <span className="ms-auto flex items-center gap-3 text-note">
              <ProbeSeen probe={probe} />
              <ProbePill probe={probe} isChecking={!probe && isRunning} />
            </span>
          </h2>
          {probe && <Findings findings={probe.findings} />}
        </Card>
      ))}
      {run.whole && run.whole.length > 0 && (
        <Card>
          <h2 className="mb-2 text-h3">Across the agent</h2>
          <Findings findings={run.whole} />
        </Card>
      )}
    </div>
  );
}

/** What checks found, failures first, each with how to fix it. */
function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul>
      {sortFindings(findings).map(({ id, title, sentence, fix, state, severity }) => {
        const isGood = state === "pass";
        const { icon, ink, word } = FINDING_LOOKS[isGood ? "pass" : severity];
        return (
          <li
            key={id}
            data-check={id}
            data-state={state}
            className="grid grid-cols-[16px_2.5rem_minmax(0,1fr)] items-start gap-x-2.5 border-line py-1.75 not-last:border-b text-note"
          >
            <Icon name={icon} className={`mt-0.5 size-4 ${ink}`} />
            <code className="text-ink-2 text-small">{id}</code>
            <div className="wrap-anywhere">
              <span className="font-medium">{title}</span>
              {!isGood && <span className="text-ink-2"> {word}</span>}
              <p className="text-ink-2">
                <span className="sr-only">{isGood ? "Passed: " : ""}</span>
                {sentence}
              </p>
              {fix && <p>{fix}</p>}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

const faultCounts = (findings: readonly Finding[]) => {
  const of = (severity: Finding["severity"]) =>
    findings.filter((one) => one.state === "fail" && one.severity === severity).length;
  return { errors: of("error"), warnings: of("warning") };
};

const countsText = ({ errors, warnings }: ReturnType<typeof faultCounts>): string =>
  `${plural(errors, "error")}, ${plural(warnings, "warning")}`;
