import { useState } from "react";
import { type KeptReport, keepReport } from "@/lib/probe/report/compare-reports.ts";
import type { DoctorEvent, DoctorReport } from "@/lib/probe/report/report.ts";
import { useStream } from "../agents/use-stream.ts";
import { swapKeptReport } from "./kept-reports.ts";

/** The endpoint to examine; `paid` is the cost the user agreed to. */
export type DoctorInput = {
  verb: string;
  url: string;
  sample?: string;
  paid?: { planId: string; maxCredits: string };
};

export type DoctorProgress = Extract<DoctorEvent, { type: "progress" }>;

const STARTING: DoctorProgress = { type: "progress", words: "Starting.", done: 0, of: 1 };

/** Runs examinations one at a time; leaving the page stops the current one. */
export function useDoctor() {
  const { isRunning, failure, run: read, stop } = useStream<DoctorEvent>();
  const [progress, setProgress] = useState(STARTING);
  const [report, setReport] = useState<DoctorReport | null>(null);
  /** The endpoint's previous report. */
  const [before, setBefore] = useState<KeptReport>();
  const [isCut, setCut] = useState(false);

  async function run(input: DoctorInput): Promise<void> {
    let isComplete = false;
    setProgress(STARTING);
    setCut(false);
    const isStopped = await read("/doctor/run", input, (event) => {
      if (event.type === "progress") return setProgress(event);
      isComplete = true;
      setReport(event.report);
      setBefore(swapKeptReport(event.report, keepReport(event.report)));
    });
    setCut(!isComplete && !isStopped);
  }

  return {
    progress: isRunning ? progress : null,
    report,
    before,
    failure: failure || (isCut ? "The service stopped before the report was complete." : ""),
    run,
    stop,
  };
}
