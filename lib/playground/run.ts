import type { MoneyStatus, X402PaymentRequired } from "@turnpike/payments/protocol";
import type { Exchange, PlainAnswer, PlainRequest } from "./exchange.ts";
import type { OutcomeCode, OutcomeStatus } from "./outcomes.ts";

/** The six steps of a 402 exchange, in order. */
export const STEPS = [
  { id: "ask", title: "Request without payment" },
  { id: "offer", title: "Read the offer" },
  { id: "permission", title: "Get an access token" },
  { id: "verify", title: "Verify (dry run)" },
  { id: "pay", title: "Retry with payment" },
  { id: "settle", title: "Settlement and receipt" },
] as const;

export type StepId = (typeof STEPS)[number]["id"];

/** A step's number, from 1. */
export const stepNumber = (id: StepId): number => STEPS.findIndex((step) => step.id === id) + 1;

type StepStatus = "idle" | "running" | OutcomeStatus;

/**
 * Who pays: the person's test customer, their account, or the account of a pasted token. A pasted one stays in memory
 * and is never kept in a run.
 */
export type TokenChoice =
  | { kind: "none" }
  | { kind: "test" }
  | { kind: "mint"; delegationId?: string }
  /** A wallet in this browser, for payments by `exact`. */
  | { kind: "wallet" }
  | { kind: "paste"; token: string; isMinted?: boolean };

export type RunInput = PlainRequest & {
  token: TokenChoice;
  /** The plan to pay with when the agent offers several. */
  planId?: string;
  scheme?: string;
  /** The maximum credits the run may use, as a decimal string. */
  maxCredits?: string;
  /** The most a run may pay by `exact`, in dollars: `0.05`. */
  maxDollars?: string;
  /** How long each request may take. */
  limitSecs?: number;
};

/** One value a step found: as reported, or checked against what it should be. */
export type Fact = {
  name: string;
  value: string;
  /** `null`: reported, not checked. */
  holds: boolean | null;
  note: string;
};

export const fact = (name: string, value: string, holds: Fact["holds"], note: string): Fact => ({
  name,
  value,
  holds,
  note,
});

export type StepResult = {
  id: StepId;
  status: StepStatus;
  outcome: OutcomeCode | null;
  /** Fills the placeholders in the outcome's sentences. */
  values: Record<string, string>;
  facts: Fact[];
  durationMs: number;
  exchange: Exchange | null;
  /** The service's error code, if it gave one. */
  reason: string | null;
};

export type Run = {
  input: RunInput;
  startedAt: string;
  steps: StepResult[];
  /** The payment status of the run; `null` while it runs, and when no payment was requested. */
  money: MoneyStatus | null;
  agentRequestId: string | null;
  requirement: X402PaymentRequired | null;
  planId: string | null;
  planName: string | null;
  credits: { before: string; after: string } | null;
  /** What became of the permission that the run opened, if it opened one. */
  permission?: "ended" | "expires" | null;
};

export type RunEvent =
  | { type: "start"; run: Run }
  | { type: "step"; step: StepResult }
  | { type: "progress"; id: StepId; words: string }
  /** The request that pays is about to be sent. The run is what to keep if its end is never seen. */
  | { type: "paying"; run: Run }
  /** The response of a step's request, as far as it has arrived. */
  | { type: "partial"; id: StepId; answer: PlainAnswer }
  | { type: "end"; run: Run };

/** The step that decides a run: the last one that ran. */
export const decidingStep = ({ steps }: Pick<Run, "steps">): StepResult | undefined =>
  steps.findLast(({ outcome }) => outcome !== null && outcome !== "not-asked");

export const idleStep = (id: StepId): StepResult => ({
  id,
  status: "idle",
  outcome: null,
  values: {},
  facts: [],
  durationMs: 0,
  exchange: null,
  reason: null,
});
