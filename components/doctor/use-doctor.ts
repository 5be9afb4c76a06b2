import { useEffect, useRef, useState } from "react";
import { type KeptReport, keepReport } from "@/lib/probe/report/compare-reports.ts";
import type { DoctorEvent, DoctorReport } from "@/lib/probe/report/report.ts";
import { readStream } from "../agents/read-stream.ts";
import { swapKeptReport } from "./kept-reports.ts";

/** What is examined; with `paid`, what the person has agreed to. */
export type DoctorInput = {
  verb: string;
  url: string;
  sample?: string;
  paid?: { planId: string; maxCredits: string };
};

export type DoctorProgress = Extract<DoctorEvent, { type: "progress" }>;

/** Runs examinations, one at a time; leaving the page stops the one under way. */
export function useDoctor() {
  const [progress, setProgress] = useState<DoctorProgress | null>(null);
  const [report, setReport] = useState<DoctorReport | null>(null);
  /** What the same endpoint showed the time before. */
  const [before, setBefore] = useState<KeptReport>();
  const [failure, setFailure] = useState("");
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function run(input: DoctorInput): Promise<void> {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setFailure("");
    setProgress({ type: "progress", words: "Starts.", done: 0, of: 1 });
    try {
      let isOver = false;
      for await (const event of readStream<DoctorEvent>("/doctor/run", input, own.signal)) {
        if (event.type === "progress") setProgress(event);
        else {
          isOver = true;
          setReport(event.report);
          setBefore(swapKeptReport(event.report, keepReport(event.report)));
        }
      }
      if (!isOver) setFailure("The service stopped before the report was whole.");
    } catch (cause) {
      if (!own.signal.aborted) setFailure((cause as Error).message);
    }
    if (running.current === own) setProgress(null);
  }

  function stop(): void {
    running.current?.abort();
    setProgress(null);
  }

  return { progress, report, before, failure, run, stop };
}
