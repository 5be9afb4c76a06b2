import type { KeptReport } from "@/lib/probe/report/compare-reports.ts";

const KEY = "turnpike.doctor";
const MAX_KEPT = 50;

/** What each endpoint last showed in this browser; empty where the browser keeps nothing. */
function readAll(): Record<string, KeptReport> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Record<string, KeptReport>) : {};
  } catch {
    return {};
  }
}

/** An address may carry a secret in its query: what is kept names the place alone. */
function nameOf({ verb, url }: { verb: string; url: string }): string {
  const { origin, pathname } = new URL(url);
  return `${verb} ${origin}${pathname}`;
}

/** Keeps a report for the next comparison and answers the one before it, if there is one that can be read. */
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
    // A browser that keeps nothing has nothing to compare with next time.
  }
  return isKeptReport(before) ? before : undefined;
}

const isKeptReport = (value: KeptReport | undefined): value is KeptReport =>
  typeof value?.checkedAt === "string" &&
  !Number.isNaN(Date.parse(value.checkedAt)) &&
  typeof value.held === "object" &&
  value.held !== null;
