import { useState } from "react";
import type { CheckEvent, Finding, Probe } from "@/lib/probe/report/probe.ts";
import { useStream } from "./use-stream.ts";

type CheckedEndpoint = { verb: string; url: string; probe: Probe | null };

/** A run of the checks so far; `whole` holds the findings that concern the agent, not one endpoint. */
export type CheckRun = {
  endpoints: CheckedEndpoint[];
  whole: Finding[] | null;
  endedAt: string | null;
};

export const NEW_RUN: CheckRun = { endpoints: [], whole: null, endedAt: null };

/** The run after an event. `now` is when the event arrived. */
export function withCheckEvent(run: CheckRun, event: CheckEvent, now: Date): CheckRun {
  switch (event.type) {
    case "start":
      return { ...run, endpoints: event.endpoints.map((one) => ({ ...one, probe: null })) };
    case "agent":
      return { ...run, whole: event.findings, endedAt: now.toISOString() };
    default: {
      const { index, probe } = event;
      const endpoints = run.endpoints.map((one, at) => (at === index ? { ...one, probe } : one));
      return { ...run, endpoints };
    }
  }
}

/** Runs checks one at a time; leaving the page stops the current run. */
export function useCheckRun({ url, body }: { url: string; body: unknown }) {
  const { run: read, ...stream } = useStream<CheckEvent>();
  const [run, setRun] = useState<CheckRun | null>(null);
  const start = () => {
    setRun(NEW_RUN);
    return read(url, body, (event) =>
      setRun((before) => withCheckEvent(before ?? NEW_RUN, event, new Date())),
    );
  };
  return { run, start, ...stream };
}
