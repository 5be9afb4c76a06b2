import type { MoneyStatus, X402PaymentRequired } from "@turnpike/payments/protocol";
import type { Exchange, HeaderLine } from "./exchange.ts";
import type { OutcomeCode } from "./outcomes.ts";

/** The six steps of a 402 exchange, in order. */
export const STEPS = [
  { id: "ask", title: "Ask without paying" },
  { id: "offer", title: "Read the offer" },
  { id: "permission", title: "Choose a permission" },
  { id: "verify", title: "Dry verify" },
  { id: "pay", title: "Ask again with the token" },
  { id: "settle", title: "Settle and receipt" },
] as const;

export type StepId = (typeof STEPS)[number]["id"];

/** The number a step is shown under. */
export const stepNumber = (id: StepId): number => STEPS.findIndex((step) => step.id === id) + 1;

export type StepStatus = "idle" | "running" | "ok" | "warn" | "error" | "skipped";

/** Where the token comes from. A pasted one stays in memory and leaves no trace in a run. */
export type TokenChoice =
  | { kind: "none" }
  | { kind: "mint"; delegationId?: string }
  | { kind: "paste"; token: string };

export type RunInput = {
  method: string;
  url: string;
  headers: readonly HeaderLine[];
  body: string | null;
  token: TokenChoice;
  /** The plan to pay with when the agent offers several. */
  planId?: string;
  scheme?: string;
  /** The most credits the run may use; a decimal string. */
  maxCredits?: string;
};

/** One line of what was found: said by somebody, or compared with what it must be. */
export type Fact = {
  name: string;
  value: string;
  /** `null`: said, and not checked here. */
  holds: boolean | null;
  note: string;
};

export type StepResult = {
  id: StepId;
  status: StepStatus;
  outcome: OutcomeCode | null;
  /** Values for the outcome's sentences. */
  values: Record<string, string>;
  facts: Fact[];
  durationMs: number;
  exchange: Exchange | null;
  /** The service's own code, when it gave one. */
  reason: string | null;
};

export type Run = {
  input: RunInput;
  startedAt: string;
  steps: StepResult[];
  /** What the money of the run did; `null` while it runs, and when nothing was asked for. */
  money: MoneyStatus | null;
  agentRequestId: string | null;
  requirement: X402PaymentRequired | null;
  planId: string | null;
  planName: string | null;
  credits: { before: string; after: string } | null;
};

export type RunEvent =
  | { type: "start"; run: Run }
  | { type: "step"; step: StepResult }
  | { type: "progress"; id: StepId; words: string }
  | { type: "end"; run: Run };

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
