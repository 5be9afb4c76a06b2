import type { DoctorFinding } from "./report.ts";

/** One check's result; skipped checks are left out. */
export type Finding = Omit<DoctorFinding, "state" | "asked" | "came"> & { state: "pass" | "fail" };

export type ProbeResult = "ready" | "free" | "wrong-method" | "unreachable" | "bad-envelope";

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
  why: string;
  status: number | null;
  ms: number;
  /** The requested URL, with its placeholders filled in. */
  calledUrl: string;
  /** The method that requires payment, if this one does not. */
  worksWith: string | null;
  findings: Finding[];
  offers: ProbedOffer[];
  envelope: unknown;
};

/** One result of a run: the endpoint's index and its probe. */
export type ProbeEvent = { index: number; probe: Probe };

/** Events of a run of the unpaid checks. */
export type CheckEvent =
  | { type: "start"; endpoints: { verb: string; url: string }[] }
  | { type: "endpoint"; index: number; probe: Probe }
  /** Checks of the agent as a whole: its definition, its open endpoints and other paths. */
  | { type: "agent"; findings: Finding[] };
