import type { RequestRecord } from "@turnpike/payments/protocol";
import type { WaterfallLane, WaterfallSpan } from "../ui/data/waterfall.tsx";
import { rounded } from "./durations.ts";

/**
 * The spans the gate reported, and the agent's own work beside them: the agent's trace is a sibling linked by
 * the request id, never a child (§6). Empty when no gate reported times.
 */
export function traceLanes(record: RequestRecord): WaterfallLane[] {
  const { verifyMs, workMs, settleMs, moneyStatus } = record;
  const request: WaterfallSpan[] = [];
  let startMs = 0;
  const add = (span: Omit<WaterfallSpan, "startMs" | "durationMs">, ms: number | undefined) => {
    if (ms === undefined) return;
    request.push({ ...span, startMs: rounded(startMs), durationMs: rounded(ms) });
    startMs += ms;
  };
  const isRefused = moneyStatus === "refused";
  const isUnpaid = moneyStatus === "delivered-unsettled";
  const hasFailed = moneyStatus === "not-charged";
  add(
    {
      key: "verify",
      name: "verify",
      tone: isRefused ? "refused" : "settled",
      ...(isRefused && { note: "the token was not accepted" }),
    },
    verifyMs,
  );
  const workStart = startMs;
  add(
    {
      key: "work",
      name: "work",
      tone: hasFailed ? "refused" : "settled",
      ...(hasFailed && { note: "the agent failed" }),
    },
    workMs,
  );
  add(
    {
      key: "settle",
      name: "settle",
      tone: isUnpaid ? "refused" : moneyStatus === "unknown" ? "unsettled" : "settled",
      ...(isUnpaid && { note: "payment is not confirmed" }),
      ...(moneyStatus === "unknown" && { note: "the outcome is unknown" }),
    },
    settleMs,
  );
  if (request.length === 0) return [];
  const lanes: WaterfallLane[] = [{ name: "Request", spans: request }];
  if (workMs !== undefined) {
    lanes.push({
      name: "Agent, linked by request ID",
      spans: [
        {
          key: "agent",
          name: "agent",
          startMs: rounded(workStart),
          durationMs: rounded(workMs),
          tone: "work",
        },
      ],
    });
  }
  return lanes;
}
