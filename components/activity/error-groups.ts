import type { MoneyStatus, RequestRecord } from "@turnpike/payments/protocol";

/** Calls that ended without payment for one reason on one route. */
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

/** Money statuses of calls that brought nothing in although somebody tried to pay. */
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
    // What was given up on purpose needs no mending.
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

/** A path with its ids as placeholders, so that calls of one route stand together. */
export const routeOf = (path: string): string =>
  path
    .split("/")
    .map((segment) => (ID_SEGMENT.test(segment) ? ":id" : segment))
    .join("/");

type Advice = { title: string; fix: string };

const ADVICE: Record<string, Advice> = {
  token_missing: {
    title: "No access token",
    fix: "The caller has to send its access token in the payment-signature header.",
  },
  invalid_token: {
    title: "Access token cannot be read",
    fix: "The caller has to mint a new token and send it whole, in the payment-signature header.",
  },
  expired_token: {
    title: "Access token ended or revoked",
    fix: "The caller has to mint a new token. A longer delegation ends less often.",
  },
  insufficient_balance: {
    title: "Too few credits",
    fix: "The subscriber has to order credits. A lower maximum per call fits smaller balances.",
  },
  invalid_plan: {
    title: "Token of another plan",
    fix: "Check that the gate offers the plan your subscribers buy, and that the agent is linked to it.",
  },
  invalid_agent: {
    title: "Token for another agent or endpoint",
    fix: "Check that the agent’s endpoints are registered as the gate sees them: method, path and placeholders.",
  },
  client_gone: {
    title: "The caller left",
    fix: "Answer sooner or stream, so that callers do not give up before the first byte.",
  },
  nothing_delivered: {
    title: "The answer broke off",
    fix: "Look in the agent’s log at this time: the stream ended before its first byte.",
  },
  exception: {
    title: "The agent failed",
    fix: "Look in the agent’s log for this request id: the handler threw.",
  },
  work_timed_out: {
    title: "The agent took too long",
    fix: "Make the handler faster or raise the gate’s time limit for work.",
  },
  unknown: {
    title: "Outcome not learnt",
    fix: "Check these in Reconcile: settle them or write them off.",
  },
  "delivered-unsettled": {
    title: "Delivered, not settled",
    fix: "Check these in Reconcile: settle them or write them off.",
  },
};

/** What a reason means, and what mends it. */
export function adviceFor({ reason, httpStatus, moneyStatus }: ErrorGroup): Advice {
  const known = ADVICE[reason];
  if (known) return known;
  const [, status] = /^status_(\d{3})$/.exec(reason) ?? [];
  if (status) {
    return {
      title: `The agent answered ${status}`,
      fix: "Look in the agent’s log for this request id. Nobody was charged.",
    };
  }
  return {
    title: reason === moneyStatus ? `HTTP ${httpStatus ?? "status not told"}` : reason,
    fix: "Look in the agent’s log for this request id.",
  };
}

/** What to tell an assistant that mends the agent: facts only, and no caller's data. */
export function fixPrompt(group: ErrorGroup): string {
  const { title, fix } = adviceFor(group);
  const { method, path, count, firstAt, lastAt, moneyStatus, httpStatus, sample } = group;
  return [
    "An HTTP endpoint of my agent is gated with @turnpike/payments (x402). These calls ended without payment.",
    `Route: ${method || "unknown method"} ${path || "unknown path"}`,
    `Reason code: ${group.reason} (${title})`,
    `Money status: ${moneyStatus}${httpStatus === undefined ? "" : `, HTTP status: ${httpStatus}`}`,
    `Count: ${count}, first ${firstAt}, last ${lastAt}`,
    `Sample request id: ${sample.agentRequestId}`,
    `What usually mends it: ${fix}`,
    "Find the cause in the code of this route and its gate, mend it, and add a test that fails without the change.",
  ].join("\n");
}
