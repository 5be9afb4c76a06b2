import type { KeptReport } from "@/lib/probe/report/compare-reports.ts";

const KEY = "turnpike.doctor";
const MAX_KEPT = 50;

/** Each endpoint's last report in this browser; empty when storage is unavailable. */
function readAll(): Record<string, KeptReport> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Record<string, KeptReport>) : {};
  } catch {
    return {};
  }
}

/** A URL can carry a secret in its query, so only origin and path are kept. */
function nameOf({ verb, url }: { verb: string; url: string }): string {
  const { origin, pathname } = new URL(url);
  return `${verb} ${origin}${pathname}`;
}

/** Keeps a report for the next comparison. Returns the previous one, if it can be read. */
export function swapKeptReport(
  endpoint: { verb: string; url: string },
  next: KeptReport,
): KeptReport | undefined {
  const name = nameOf(endpoint);
  const { [name]: before, ...others } = readAll();
  const newest = Object.entries({ [name]: next, ...others }).slice(0, MAX_KEPT);
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(newest)));
  } catch {
    // Without storage there is nothing to compare with next time.
  }
  return isKeptReport(before) ? before : undefined;
}

const isKeptReport = (value: KeptReport | undefined): value is KeptReport =>
  typeof value?.checkedAt === "string" &&
  !Number.isNaN(Date.parse(value.checkedAt)) &&
  typeof value.held === "object" &&
  value.held !== null;
