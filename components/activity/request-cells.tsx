import type { RequestRecord } from "@turnpike/payments/protocol";
import { HttpStatus } from "../ui/values/http-status.tsx";
import { MoneyStatus, RunningPill } from "../ui/values/money-status.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { isUnderWay } from "./money-story.ts";

/** The method and the path, as the gate told them. */
export function Endpoint({ record }: { record: RequestRecord }) {
  const { method, path, httpStatus } = record;
  if (!path) return <span className="text-ink-2">{httpStatus ? "Not told" : "No report yet"}</span>;
  return (
    <span className="font-mono text-mono" title={`${method} ${path}`}>
      <span className="me-2.5 inline-block min-w-8 text-ink-2">{method}</span>
      {path}
    </span>
  );
}

/** What the money did; a hold that lives is a run under way, not an unknown outcome. */
export function MoneyCell({ record }: { record: RequestRecord }) {
  if (isUnderWay(record)) return <RunningPill>Under way</RunningPill>;
  return <MoneyStatus status={record.moneyStatus} />;
}

/** What the HTTP answer was: never mixed with the money. */
export function HttpCell({ record: { httpStatus } }: { record: RequestRecord }) {
  if (httpStatus === undefined) return <span className="text-ink-2">–</span>;
  return <HttpStatus status={httpStatus} />;
}

/** Credits that were taken; what is only asked for or on hold is none. */
export function creditsTaken({ moneyStatus, credits }: RequestRecord): string {
  return moneyStatus === "settled" ? groupDigits(credits) : "–";
}
