"use client";

import { useEffect, useRef, useState } from "react";
import type { CheckEvent, Finding, Probe } from "@/lib/probe/report/probe.ts";
import { readStream } from "./read-stream.ts";

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
export function useCheckRun(source: { url: string; body: unknown }) {
  const [run, setRun] = useState<CheckRun | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState("");
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    running.current?.abort();
    const current = new AbortController();
    running.current = current;
    setRunning(true);
    setFailure("");
    setRun(NEW_RUN);
    try {
      for await (const event of readStream<CheckEvent>(source.url, source.body, current.signal)) {
        setRun((before) => withCheckEvent(before ?? NEW_RUN, event, new Date()));
      }
    } catch (cause) {
      if (!current.signal.aborted) setFailure((cause as Error).message);
    }
    if (running.current === current) setRunning(false);
  };
  const stop = () => {
    running.current?.abort();
    setRunning(false);
  };
  return { run, isRunning, failure, start, stop };
}
