import { useState } from "react";
import { type KeptReport, keepReport } from "@/lib/probe/report/compare-reports.ts";
import type { DoctorEvent, DoctorReport } from "@/lib/probe/report/report.ts";
import { useStream } from "../agents/use-stream.ts";
import { keep, readKept } from "../forms/kept-json.ts";

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
  const [before, setBefore] = useState<KeptReport>();
  const [end, setEnd] = useState<ExaminationEnd>("complete");
  const [isPaid, setPaid] = useState(false);

  async function run(input: DoctorInput): Promise<void> {
    let isComplete = false;
    setProgress(STARTING);
    setEnd("complete");
    setPaid(input.paid !== undefined);
    const isStopped = await read("/doctor/run", input, (event) => {
      if (event.type === "progress") return setProgress(event);
      isComplete = true;
      setReport(event.report);
      setBefore(swapKeptReport(event.report, keepReport(event.report)));
    });
    if (!isComplete) setEnd(isStopped ? "stopped" : "cut");
  }

  return {
    progress: isRunning ? progress : null,
    report,
    before,
    earlyEnd: earlyEndText({ failure, end, isPaid }),
    run,
    stop,
  };
}

/** Each endpoint's last report in this browser. */
const KEY = "turnpike.doctor";
const MAX_KEPT = 50;

/** A URL can carry a secret in its query, so only origin and path are kept. */
function nameOf({ verb, url }: { verb: string; url: string }): string {
  const { origin, pathname } = new URL(url);
  return `${verb} ${origin}${pathname}`;
}

/** Keeps a report for the next comparison. Returns the previous one, if it can be read. */
function swapKeptReport(
  endpoint: { verb: string; url: string },
  next: KeptReport,
): KeptReport | undefined {
  const name = nameOf(endpoint);
  const { [name]: before, ...others } = { ...(readKept(KEY) as Record<string, KeptReport> | null) };
  const newest = Object.entries({ [name]: next, ...others }).slice(0, MAX_KEPT);
  keep(KEY, Object.fromEntries(newest));
  return isKeptReport(before) ? before : undefined;
}

const isKeptReport = (value: KeptReport | undefined): value is KeptReport =>
  typeof value?.checkedAt === "string" &&
  !Number.isNaN(Date.parse(value.checkedAt)) &&
  typeof value.held === "object" &&
  value.held !== null;

/** How an examination ended: with its report, without it, or stopped by the user. */
type ExaminationEnd = "complete" | "cut" | "stopped";

type EarlyEnd = { failure: string; end: ExaminationEnd; isPaid: boolean };

/** What to say of checks that ended early; empty after a report, and for free checks that were stopped. */
export function earlyEndText({ failure, end, isPaid }: EarlyEnd): string {
  const cause = failure || (end === "stopped" && !isPaid ? "" : WORDS[end]);
  return cause && isPaid ? `${cause} Paid calls made before that may have used credits.` : cause;
}

const WORDS: Record<ExaminationEnd, string> = {
  complete: "",
  cut: "The service stopped before the report was complete.",
  stopped: "You stopped the checks.",
};
