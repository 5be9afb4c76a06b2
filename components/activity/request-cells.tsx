import type { RequestRecord } from "@turnpike/payments/protocol";
import { HttpStatus } from "../ui/values/http-status.tsx";
import { MoneyStatus, RunningPill } from "../ui/values/money-status.tsx";
import { isUnderWay } from "./request-state.ts";

export function Endpoint({ record }: { record: RequestRecord }) {
  const { method, path, httpStatus } = record;
  if (!path)
    return <span className="text-ink-2">{httpStatus ? "Not reported" : "No report yet"}</span>;
  return (
    <span className="font-mono text-mono" title={[method, path].filter(Boolean).join(" ")}>
      {method && <span className="me-2.5 inline-block min-w-8 text-ink-2">{method}</span>}
      {path}
    </span>
  );
}

/** The payment status. While credits are reserved the request is in progress, and its outcome is not unknown. */
export function MoneyCell({ record }: { record: RequestRecord }) {
  if (isUnderWay(record)) return <RunningPill>In progress</RunningPill>;
  return <MoneyStatus status={record.moneyStatus} />;
}

/** The HTTP status, kept apart from the payment status. */
export function HttpCell({ record: { httpStatus } }: { record: RequestRecord }) {
  if (httpStatus === undefined) return <span className="text-ink-2">–</span>;
  return <HttpStatus status={httpStatus} />;
}
