/** How an examination ended: with its report, without it, or stopped by the user. */
export type ExaminationEnd = "complete" | "cut" | "stopped";

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
