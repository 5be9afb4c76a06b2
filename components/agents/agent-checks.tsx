"use client";

import { useEffect, useRef, useState } from "react";
import type { CheckEvent, Finding, Probe } from "@/lib/probe/report/probe.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Empty } from "../ui/empty.tsx";
import { Notice } from "../ui/notice.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { CopyPrompt } from "./copy-prompt.tsx";
import { countsText, Findings, faultCounts } from "./findings.tsx";
import { fixPrompt } from "./fix-prompt.ts";
import { ProbePill, ProbeSeen } from "./probe-pill.tsx";
import { readStream } from "./read-stream.ts";
import { UrlTemplate } from "./url-template.tsx";

type Checked = { verb: string; url: string; probe: Probe | null };
type Run = { endpoints: Checked[]; whole: Finding[] | null; endedAt: string | null };

/** Runs the checks that cannot be charged and shows each as it ends. */
export function AgentChecks({
  agent,
  source = { url: `/agents/${agent.agentId}/checks/run`, body: {} },
}: {
  agent: { agentId: string; name: string; planIds: readonly string[]; needsLogin: boolean };
  /** Where the checks run; by default those of the registered agent. */
  source?: { url: string; body: unknown };
}) {
  const [run, setRun] = useState<Run | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState("");
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setRunning(true);
    setFailure("");
    setRun({ endpoints: [], whole: null, endedAt: null });
    try {
      for await (const event of readStream<CheckEvent>(source.url, source.body, own.signal)) {
        setRun((now) => withEvent(now, event));
      }
    } catch (cause) {
      if (!own.signal.aborted) setFailure((cause as Error).message);
    }
    if (running.current === own) setRunning(false);
  };
  const stop = () => {
    running.current?.abort();
    setRunning(false);
  };

  const all = [
    ...(run?.endpoints ?? []).flatMap(({ probe }) => probe?.findings ?? []),
    ...(run?.whole ?? []),
  ];
  const counts = faultCounts(all);
  const done = run?.endpoints.filter(({ probe }) => probe).length ?? 0;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p role="status" className="flex items-center gap-2">
          {isRunning && (
            <StatePill tone="running">{`${done} of ${run?.endpoints.length ?? 0} endpoints`}</StatePill>
          )}
          {!isRunning && run?.endedAt && (
            <span data-testid="check-counts" className="tabular-nums">
              {countsText(counts)}, checked at {new Date(run.endedAt).toISOString().slice(11, 19)}{" "}
              UTC
            </span>
          )}
        </p>
        <div className="ms-auto flex flex-wrap gap-2">
          {!isRunning && counts.errors + counts.warnings > 0 && (
            <CopyPrompt text={() => fixPrompt(agent, run?.endpoints ?? [], run?.whole ?? [])} />
          )}
          {isRunning && <Button onClick={stop}>Stop</Button>}
          <Button look="primary" isPending={isRunning} onClick={start}>
            Run checks
          </Button>
        </div>
      </div>
      {agent.needsLogin && (
        <div className="mb-4">
          <Notice tone="info" title="This agent wants a login of its own.">
            Checks do not use the saved one; an endpoint that asks for it first is not reachable for
            them.
          </Notice>
        </div>
      )}
      {failure && (
        <Notice tone="refused" title="The checks broke off." role="alert">
          {failure} Nothing was charged.
        </Notice>
      )}
      {!run && !failure && (
        <Card isPadded={false}>
          <Empty kind="first" title="Not checked yet" headingLevel={2}>
            Each endpoint is asked some thirty times: without a token, and with tokens that nobody
            signed. Nothing can be charged.
          </Empty>
        </Card>
      )}
      {run && (
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
              <h2 className="mb-2 text-h3">The agent as a whole</h2>
              <Findings findings={run.whole} />
            </Card>
          )}
        </div>
      )}
    </>
  );
}

function withEvent(run: Run | null, event: CheckEvent): Run {
  const now = run ?? { endpoints: [], whole: null, endedAt: null };
  if (event.type === "start") {
    return { ...now, endpoints: event.endpoints.map((one) => ({ ...one, probe: null })) };
  }
  if (event.type === "agent") {
    return { ...now, whole: event.findings, endedAt: new Date().toISOString() };
  }
  const { index, probe } = event;
  return {
    ...now,
    endpoints: now.endpoints.map((one, at) => (at === index ? { ...one, probe } : one)),
  };
}
