import type { MoneyStatus } from "@turnpike/payments/protocol";
import type { FaultName } from "@/lib/sandbox/operations.ts";
import type { FaultPlan, LabPath, Rail } from "./lab-places.ts";
import type { OutcomeCode } from "./outcomes.ts";
import type { StepId } from "./run.ts";

export type Ending = {
  step: StepId;
  outcome: OutcomeCode;
  reason: string | null;
  money: MoneyStatus;
  /** Credits used by the end of the run; null where they are not counted. */
  credits: string | null;
  /** By `exact`: what left the payer's account on chain, in millionths of a dollar. */
  paid?: string | null;
};

export type LabToken =
  | { kind: "none" }
  | { kind: "garbage" }
  | { kind: "test" }
  | ({ kind: "prepared" } & PreparedToken);

type PreparedToken = {
  plan: FaultPlan;
  /** The agent it is minted for; any agent if left out. */
  agent?: "lab" | "other";
  /** Its lifetime; it has expired before the run starts. */
  lifeSecs?: number;
  /** How many calls it allows; one if left out. */
  calls?: number;
  /** Its spending limit for further credits. */
  limitCents?: bigint;
  /** One of its calls is used before the run starts. */
  isUsed?: boolean;
  /** The test card its delegation charges. */
  card?: string;
};

/** A sandbox fault for the calls of one plan, injected at the start or just before a step. */
export type Arming = { fault: FaultName; plan: FaultPlan; times: number; before?: StepId };

/** How a fault is produced: by the service, by the lab's agent, or by what the run sends. */
type Recipe = {
  path: LabPath;
  token: LabToken;
  /** A plan the user has credits of before the run. */
  plan?: FaultPlan;
  /** The plan grants a single call, which is made before the run. */
  isUsedUp?: boolean;
  arm?: Arming;
  /** What happens during the run. */
  during?: "revoke" | "order" | "send-twice";
};

export type FaultText = { id: string; label: string; does: string; expected: Ending };

/** A fault of a run that pays with a plan. */
export type PlanFault = FaultText & {
  recipe: Recipe;
  /** The only rail it applies to. */
  only?: Rail;
};

/** The rail a fault runs on when `rail` is selected. */
export const railOf = ({ only }: PlanFault, rail: Rail): Rail => only ?? rail;

const CALLS = { plan: "calls" } as const;
const MINT = { token: { kind: "test" } } as const;
const prepared = (more: Omit<PreparedToken, "plan">) =>
  ({ kind: "prepared", plan: "calls", agent: "lab", ...more }) as const;
const byCard = (card: string): Recipe => ({
  path: "card",
  token: { kind: "prepared", plan: "card", agent: "lab", card },
});
const ending = (
  step: StepId,
  outcome: OutcomeCode,
  more: Pick<Ending, "money"> & Partial<Ending>,
): Ending => ({ step, outcome, reason: null, credits: "0", ...more });
export const settled = (credits: string | null) =>
  ending("settle", "settled", { money: "settled", credits });
const refused = (step: StepId, outcome: OutcomeCode, reason: string) =>
  ending(step, outcome, { money: "refused", reason });
const GATE_UNAVAILABLE = ending("pay", "gate-unavailable", {
  money: "not-charged",
  reason: "unavailable",
});

/** What can go wrong with a paid call, how it is produced, and how it must end. */
export const FAULTS: readonly PlanFault[] = [
  {
    id: "no-token",
    label: "No token",
    does: "The run sends no access token.",
    recipe: { path: "ask", token: { kind: "none" }, ...CALLS },
    expected: ending("permission", "token-none", { money: "challenged" }),
  },
  {
    id: "garbage-token",
    label: "Malformed token",
    does: "The run sends text that is not an access token.",
    recipe: { path: "ask", token: { kind: "garbage" }, ...CALLS },
    expected: refused("verify", "invalid_token", "invalid_token"),
  },
  {
    id: "expired",
    label: "Expired token",
    does: "The run sends a token that expired after one second.",
    recipe: { path: "ask", token: prepared({ lifeSecs: 1 }), ...CALLS },
    expected: refused("verify", "expired_token", "expired_token"),
  },
  {
    id: "wrong-plan",
    label: "Wrong plan",
    does: "The token is for a plan the agent does not offer.",
    recipe: { path: "ask", token: { kind: "prepared", plan: "other" }, plan: "other" },
    expected: refused("verify", "invalid_plan", "invalid_plan"),
  },
  {
    id: "wrong-agent",
    label: "Wrong agent",
    does: "The token is for another agent that accepts the same plan.",
    recipe: { path: "ask", token: prepared({ agent: "other" }), ...CALLS },
    expected: refused("verify", "invalid_agent", "invalid_agent"),
  },
  {
    id: "zero-balance",
    label: "Zero balance",
    does: "The plan’s only call is used up, and the token’s spending limit is too low to order it again.",
    recipe: {
      path: "once",
      token: { kind: "prepared", plan: "once", agent: "lab", limitCents: 1n },
      plan: "once",
      isUsedUp: true,
    },
    expected: refused("verify", "insufficient_balance", "insufficient_balance"),
  },
  {
    id: "limit-reached",
    label: "Limit reached",
    does: "A token that allows one call is used, then sent again.",
    recipe: { path: "ask", token: prepared({ calls: 1, isUsed: true }), ...CALLS },
    expected: refused("verify", "limit-reached", "insufficient_balance"),
  },
  {
    id: "revoked-mid-run",
    label: "Revoked mid-run",
    does: "The token is revoked after the dry run, before it is sent.",
    recipe: { path: "ask", token: prepared({}), ...CALLS, during: "revoke" },
    expected: refused("pay", "refused-again", "invalid_token"),
  },
  {
    id: "agent-500",
    label: "Agent returns 500",
    does: "The gate accepts the call, then the agent fails.",
    recipe: { path: "fail", ...MINT, ...CALLS },
    expected: ending("pay", "agent-failed", { money: "not-charged" }),
  },
  {
    id: "agent-slow",
    label: "Agent is slow",
    does: "The agent responds 2.5 seconds late.",
    recipe: { path: "slow", ...MINT, ...CALLS },
    expected: settled("1"),
  },
  {
    id: "verify-down",
    label: "Verify down",
    does: "The service does not respond when the gate verifies.",
    recipe: {
      path: "ask",
      ...MINT,
      ...CALLS,
      arm: { fault: "verify-down", plan: "calls", times: 20, before: "pay" },
    },
    expected: GATE_UNAVAILABLE,
  },
  {
    id: "settle-fails",
    label: "Settle fails",
    does: "The service does not respond when the gate settles.",
    recipe: {
      path: "late",
      ...MINT,
      plan: "late",
      arm: { fault: "settle-down", plan: "late", times: 500 },
    },
    expected: ending("settle", "delivered-unsettled", {
      money: "delivered-unsettled",
      credits: null,
    }),
  },
  {
    id: "settle-reply-lost",
    label: "Settle response lost",
    does: "The service settles, but its response to the gate is lost once.",
    recipe: {
      path: "ask",
      ...MINT,
      ...CALLS,
      arm: { fault: "settle-reply-lost", plan: "calls", times: 1 },
    },
    expected: settled("1"),
  },
  {
    id: "duplicate-send",
    label: "Duplicate send",
    does: "A request with a token that allows one call is sent twice at the same time.",
    recipe: { path: "ask", token: prepared({ calls: 1 }), ...CALLS, during: "send-twice" },
    expected: settled("1"),
  },
  {
    id: "streaming-reply",
    label: "Streamed response",
    does: "The agent streams its response; the receipt comes with the last event.",
    recipe: { path: "stream", ...MINT, ...CALLS },
    expected: settled("1"),
  },
  {
    id: "price-change",
    label: "Cached price is outdated",
    does: "The plan becomes more expensive while the gate still caches the old price.",
    recipe: { path: "changing", ...MINT, plan: "changing", during: "order" },
    expected: { ...GATE_UNAVAILABLE, credits: null },
  },
  {
    id: "card-declined",
    only: "card",
    label: "Card declined",
    does: "The call requires a top-up, and the bank declines the card.",
    recipe: byCard("pm_card_chargeCustomerFail"),
    expected: refused("pay", "refused-again", "insufficient_balance"),
  },
  {
    id: "three-d-secure",
    only: "card",
    label: "3-D Secure required",
    does: "The call requires a top-up, and the bank asks the cardholder to authenticate.",
    recipe: byCard("pm_card_authenticationRequired"),
    expected: refused("pay", "refused-again", "insufficient_balance"),
  },
];
