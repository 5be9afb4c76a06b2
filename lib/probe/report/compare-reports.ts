import type { DoctorReport } from "./report.ts";

/** What is kept of a report to compare the next one with: no answer of the endpoint, only what held. */
export type KeptReport = {
  /** ISO 8601. */
  checkedAt: string;
  /** Checks that were judged, by id. */
  held: Record<string, boolean>;
};

/** The ids of checks whose verdict is another than before, in order. */
export type ReportChange = { mended: string[]; broken: string[] };

/** The part of a report that is kept. A skipped check judged nothing and is left out. */
export const keepReport = ({ checkedAt, findings }: DoctorReport): KeptReport => ({
  checkedAt,
  held: Object.fromEntries(
    findings.flatMap(({ id, state }) => (state === "skip" ? [] : [[id, state === "pass"]])),
  ),
});

/** What changed since an earlier report of the same endpoint; only checks both have judged are compared. */
export function compareReports(before: KeptReport, after: KeptReport): ReportChange {
  const changed = Object.keys(after.held)
    .filter((id) => id in before.held && before.held[id] !== after.held[id])
    .sort();
  return {
    mended: changed.filter((id) => after.held[id]),
    broken: changed.filter((id) => !after.held[id]),
  };
}

/** `D13 and D14 hold now. D21 no longer holds.` */
export function changeText({ mended, broken }: ReportChange): string {
  const sentences = [
    mended.length > 0 && `${listed(mended)} ${mended.length === 1 ? "holds" : "hold"} now.`,
    broken.length > 0 && `${listed(broken)} no longer ${broken.length === 1 ? "holds" : "hold"}.`,
  ].filter(Boolean);
  return sentences.length > 0 ? sentences.join(" ") : "Nothing has changed.";
}

const listed = (ids: string[]): string => new Intl.ListFormat("en-GB").format(ids);
