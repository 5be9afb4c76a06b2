import type { Severity } from "./report.ts";

/** What one check found; one that had nothing to judge says nothing. */
export type Finding = {
  id: string;
  severity: Severity;
  title: string;
  state: "pass" | "fail";
  sentence: string;
  fix?: string;
};

/** What a probe says of an endpoint, in one word. */
export type ProbeResult = "ready" | "free" | "wrong-method" | "unreachable" | "bad-envelope";

/** An offer as a page shows it. */
export type ProbedOffer = {
  scheme: string;
  network: string;
  planId: string | null;
  planName: string | null;
  agentId: string | null;
  credits: string | null;
};

export type Probe = {
  result: ProbeResult;
  /** What was seen, in a sentence. */
  why: string;
  status: number | null;
  ms: number;
  /** Where the request went, its placeholders filled in. */
  calledUrl: string;
  /** The method that does ask for payment, when this one does not. */
  worksWith: string | null;
  findings: Finding[];
  offers: ProbedOffer[];
  /** The envelope as decoded, for those who want to see it. */
  envelope: unknown;
};

/** A line of a run of probes: which endpoint, and what was seen. */
export type ProbeEvent = { index: number; probe: Probe };

/** What a run of the unpaid checks tells, as it goes. */
export type CheckEvent =
  | { type: "start"; endpoints: { verb: string; url: string }[] }
  | { type: "endpoint"; index: number; probe: Probe }
  /** What holds for the agent as a whole: its definition, its open endpoints, other paths. */
  | { type: "agent"; findings: Finding[] };
