import type { MoneyStatus, RequestRecord } from "@turnpike/payments/protocol";
import type { WaterfallLane, WaterfallSpan } from "../ui/data/waterfall.tsx";
import { rounded } from "./durations.ts";

type Fault = { phase: string } & Pick<WaterfallSpan, "tone" | "note">;

/** The phase in which a request of a payment status went wrong. */
const FAULTS: Partial<Record<MoneyStatus, Fault>> = {
  refused: { phase: "verify", tone: "refused", note: "the token was not accepted" },
  "not-charged": { phase: "work", tone: "refused", note: "the agent failed" },
  "delivered-unsettled": { phase: "settle", tone: "refused", note: "payment is not confirmed" },
  unknown: { phase: "settle", tone: "unsettled", note: "the outcome is unknown" },
};

/**
 * The spans the gate reported, and the agent's own work beside them: the agent's trace is a sibling linked by
 * the request id, never a child (§6). Empty when no gate reported times.
 */
export function traceLanes(record: RequestRecord): WaterfallLane[] {
  const { verifyMs: verify, workMs: work, settleMs: settle, moneyStatus } = record;
  const { phase, ...fault } = FAULTS[moneyStatus] ?? {};
  const request: WaterfallSpan[] = [];
  const agent: WaterfallSpan[] = [];
  let at = 0;
  for (const [name, ms] of Object.entries({ verify, work, settle })) {
    if (ms === undefined) continue;
    const times = { startMs: rounded(at), durationMs: rounded(ms) };
    request.push({ key: name, name, tone: "settled", ...times, ...(name === phase && fault) });
    if (name === "work") agent.push({ key: "agent", name: "agent", tone: "work", ...times });
    at += ms;
  }
  const lanes = [
    { name: "Request", spans: request },
    { name: "Agent, linked by request ID", spans: agent },
  ];
  return lanes.filter(({ spans }) => spans.length > 0);
}
