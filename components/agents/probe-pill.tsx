import type { Probe, ProbeResult } from "@/lib/probe/report/probe.ts";
import { type State, StatePill } from "../ui/values/state-pill.tsx";

const PROBE_WORDS: Record<ProbeResult, State> = {
  ready: { word: "Ready", tone: "good" },
  free: { word: "Responds without payment", tone: "bad" },
  "wrong-method": { word: "Wrong method", tone: "bad" },
  unreachable: { word: "Not reachable", tone: "bad" },
  "bad-envelope": { word: "Bad envelope", tone: "warn" },
};

type ProbePillProps = {
  probe: Probe | null;
  isChecking?: boolean;
  isPaid?: boolean;
};

/** The result of a probe. A free endpoint that answers without payment is fine. */
export function ProbePill({ probe, isChecking, isPaid = true }: ProbePillProps) {
  if (isChecking) return <StatePill tone="running">Checking</StatePill>;
  if (!isPaid && (!probe || probe.result === "free")) {
    return <StatePill tone="neutral">Free</StatePill>;
  }
  if (!probe) return <span className="text-ink-2">Not probed</span>;
  return <StatePill state={PROBE_WORDS[probe.result]} />;
}

/** `402 in 88 ms, D06`: the response, then the ids of failed checks. */
export function ProbeSeen({ probe, isPaid = true }: { probe: Probe | null; isPaid?: boolean }) {
  if (!probe) return null;
  const failed = probe.findings.filter(
    ({ state, severity }) => isPaid && state === "fail" && severity === "error",
  );
  const came = probe.status === null ? "No response" : `${probe.status} in ${probe.ms} ms`;
  return (
    <span className="text-ink-2 tabular-nums">
      <span className="whitespace-nowrap">{failed.length > 0 ? `${came},` : came}</span>{" "}
      <code className="text-ink text-small">{failed.map(({ id }) => id).join(", ")}</code>
    </span>
  );
}
