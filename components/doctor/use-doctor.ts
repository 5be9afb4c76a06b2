import { useEffect, useRef, useState } from "react";
import { type KeptReport, keepReport } from "@/lib/probe/report/compare-reports.ts";
import type { DoctorEvent, DoctorReport } from "@/lib/probe/report/report.ts";
import { readStream } from "../agents/read-stream.ts";
import { swapKeptReport } from "./kept-reports.ts";

/** The endpoint to examine; `paid` is the cost the user agreed to. */
export type DoctorInput = {
  verb: string;
  url: string;
  sample?: string;
  paid?: { planId: string; maxCredits: string };
};

export type DoctorProgress = Extract<DoctorEvent, { type: "progress" }>;

/** Runs examinations one at a time; leaving the page stops the current one. */
export function useDoctor() {
  const [progress, setProgress] = useState<DoctorProgress | null>(null);
  const [report, setReport] = useState<DoctorReport | null>(null);
  /** The endpoint's previous report. */
  const [before, setBefore] = useState<KeptReport>();
  const [failure, setFailure] = useState("");
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function run(input: DoctorInput): Promise<void> {
    running.current?.abort();
    const current = new AbortController();
    running.current = current;
    setFailure("");
    setProgress({ type: "progress", words: "Starting.", done: 0, of: 1 });
    try {
      let isComplete = false;
      for await (const event of readStream<DoctorEvent>("/doctor/run", input, current.signal)) {
        if (event.type === "progress") setProgress(event);
        else {
          isComplete = true;
          setReport(event.report);
          setBefore(swapKeptReport(event.report, keepReport(event.report)));
        }
      }
      if (!isComplete) setFailure("The service stopped before the report was complete.");
    } catch (cause) {
      if (!current.signal.aborted) setFailure((cause as Error).message);
    }
    if (running.current === current) setProgress(null);
  }

  function stop(): void {
    running.current?.abort();
    setProgress(null);
  }

  return { progress, report, before, failure, run, stop };
}
