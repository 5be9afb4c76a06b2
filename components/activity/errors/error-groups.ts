import type { MoneyStatus, RequestRecord } from "@turnpike/payments/protocol";

/** Requests that ended without payment for one reason on one route. */
export type ErrorGroup = {
  key: string;
  reason: string;
  method: string;
  path: string;
  moneyStatus: MoneyStatus;
  httpStatus?: number;
  count: number;
  firstAt: string;
  lastAt: string;
  /** The newest of them. */
  sample: RequestRecord;
};

/** Payment statuses of requests that earned nothing although the caller tried to pay. */
export const ERROR_STATUSES: MoneyStatus[] = [
  "refused",
  "not-charged",
  "delivered-unsettled",
  "unknown",
];

const WRITTEN_OFF = /^written off/;

/** Groups records, newest first, by reason and route; the largest group first. */
export function groupErrors(records: readonly RequestRecord[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  for (const record of records) {
    const { moneyStatus, method = "", path = "", httpStatus, at } = record;
    // Written off on purpose: there is nothing to fix.
    if (record.reason && WRITTEN_OFF.test(record.reason)) continue;
    const reason = record.reason || moneyStatus;
    const key = [reason, moneyStatus, method, routeOf(path)].join(" ");
    const group = groups.get(key);
    if (!group) {
      groups.set(key, {
        key,
        reason,
        method,
        path: routeOf(path),
        moneyStatus,
        ...(httpStatus !== undefined && { httpStatus }),
        count: 1,
        firstAt: at,
        lastAt: at,
        sample: record,
      });
      continue;
    }
    group.count += 1;
    if (at < group.firstAt) group.firstAt = at;
    if (at > group.lastAt) group.lastAt = at;
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || (a.lastAt < b.lastAt ? 1 : -1));
}

const ID_SEGMENT = /^(?:\d+|0x[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]{27}|(?=.*\d)[\w-]{20,})$/i;

/** A path with its ids as placeholders, so that requests to one route form one group. */
export const routeOf = (path: string): string =>
  path
    .split("/")
    .map((segment) => (ID_SEGMENT.test(segment) ? ":id" : segment))
    .join("/");

type Advice = { title: string; fix: string };

const ADVICE: Record<string, Advice> = {
  token_missing: {
    title: "No access token",
    fix: "Send the access token in the payment-signature header.",
  },
  invalid_token: {
    title: "Invalid access token",
    fix: "Mint a new token and send all of it in the payment-signature header.",
  },
  expired_token: {
    title: "Access token expired or revoked",
    fix: "Mint a new token. Use a longer delegation to renew tokens less often.",
  },
  insufficient_balance: {
    title: "Insufficient credits",
    fix: "The subscriber needs to buy credits. A lower maximum per call works with smaller balances.",
  },
  invalid_plan: {
    title: "Token for another plan",
    fix: "Check that the gate offers the plan your subscribers buy, and that the plan is linked to the agent.",
  },
  invalid_agent: {
    title: "Token for another agent or endpoint",
    fix: "Register the agent’s endpoints exactly as the gate sees them: method, path and placeholders.",
  },
  client_gone: {
    title: "The caller disconnected",
    fix: "Respond faster, or stream, so that callers get the first byte before they time out.",
  },
  nothing_delivered: {
    title: "The response was cut off",
    fix: "Check the agent’s log at this time: the stream ended before its first byte.",
  },
  exception: {
    title: "The agent failed",
    fix: "Check the agent’s log for this request ID: the handler threw an error.",
  },
  work_timed_out: {
    title: "The agent timed out",
    fix: "Make the handler faster, or raise the gate’s time limit.",
  },
  unknown: {
    title: "Unknown outcome",
    fix: "Settle these or write them off in Reconcile.",
  },
  "delivered-unsettled": {
    title: "Unsettled",
    fix: "Settle these or write them off in Reconcile.",
  },
};

/** What a reason means and how to fix it. */
export function adviceFor({ reason, httpStatus, moneyStatus }: ErrorGroup): Advice {
  const known = ADVICE[reason];
  if (known) return known;
  const [, status] = /^status_(\d{3})$/.exec(reason) ?? [];
  if (status) {
    return {
      title: `The agent returned ${status}`,
      fix: "Check the agent’s log for this request ID. No credits were charged.",
    };
  }
  return {
    title:
      reason === moneyStatus ? (httpStatus ? `HTTP ${httpStatus}` : "Unknown HTTP status") : reason,
    fix: "Check the agent’s log for this request ID.",
  };
}

/** A prompt for a coding assistant: facts only, and no data of the caller. */
export function fixPrompt(group: ErrorGroup): string {
  const { title, fix } = adviceFor(group);
  const { method, path, count, firstAt, lastAt, moneyStatus, httpStatus, sample } = group;
  return [
    "An HTTP endpoint of my agent is gated with @turnpike/payments (x402). These requests ended without payment.",
    `Route: ${method || "unknown method"} ${path || "unknown path"}`,
    `Reason code: ${group.reason} (${title})`,
    `Payment status: ${moneyStatus}${httpStatus === undefined ? "" : `, HTTP status: ${httpStatus}`}`,
    `Count: ${count}, first ${firstAt}, last ${lastAt}`,
    `Sample request ID: ${sample.agentRequestId}`,
    `Usual fix: ${fix}`,
    "Find the cause in the code of this route and its gate, fix it, and add a test that fails without the fix.",
  ].join("\n");
}
