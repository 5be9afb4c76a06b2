import { pluralWord } from "@/lib/text/plural.ts";
import type { DoctorReport } from "./report.ts";

/** The part of a report that is kept for comparison: which checks passed, and none of the endpoint's responses. */
export type KeptReport = {
  /** ISO 8601. */
  checkedAt: string;
  /** Whether each check passed, by id; skipped checks are left out. */
  held: Record<string, boolean>;
};

/** The ids of checks whose result changed, in order. */
export type ReportChange = { fixed: string[]; broken: string[] };

export const keepReport = ({ checkedAt, findings }: DoctorReport): KeptReport => ({
  checkedAt,
  held: Object.fromEntries(
    findings.flatMap(({ id, state }) => (state === "skip" ? [] : [[id, state === "pass"]])),
  ),
});

/** Compares the checks that ran in both reports of an endpoint. */
export function compareReports(before: KeptReport, after: KeptReport): ReportChange {
  const changed = Object.keys(after.held)
    .filter((id) => id in before.held && before.held[id] !== after.held[id])
    .sort();
  return {
    fixed: changed.filter((id) => after.held[id]),
    broken: changed.filter((id) => !after.held[id]),
  };
}

/** `D13 and D14 pass now. D21 no longer passes.` */
export function changeText({ fixed, broken }: ReportChange): string {
  const sentences = [
    fixed.length > 0 && `${listed(fixed)} ${pluralWord(fixed.length, "passes", "pass")} now.`,
    broken.length > 0 &&
      `${listed(broken)} no longer ${pluralWord(broken.length, "passes", "pass")}.`,
  ].filter(Boolean);
  return sentences.length > 0 ? sentences.join(" ") : "No changes.";
}

const listed = (ids: string[]): string => new Intl.ListFormat("en-GB").format(ids);
