import type { MoneyStatus } from "@turnpike/payments/protocol";
import type { FaultName } from "@/lib/sandbox/operations.ts";
import type { FaultPlan, LabPath, Rail } from "./lab-places.ts";
import type { OutcomeCode } from "./outcomes.ts";
import type { StepId } from "./run.ts";

/** Where a run ended, and what its money did. */
export type Ending = {
  step: StepId;
  outcome: OutcomeCode;
  /** The machine's own word for it, where there is one. */
  reason: string | null;
  money: MoneyStatus;
  /** Credits that left the balance by the end of the run; null where the run counts none. */
  credits: string | null;
};

/** The token a fault's run goes with. */
export type LabToken =
  | { kind: "none" }
  | { kind: "garbage" }
  | { kind: "mint" }
  | ({ kind: "prepared" } & PreparedToken);

export type PreparedToken = {
  plan: FaultPlan;
  /** The agent it is made for; none when left out. */
  agent?: "lab" | "other";
  /** It has ended before the run begins. */
  lifeSecs?: number;
  /** The calls it allows. */
  calls?: number;
  /** The most it may spend on further credits. */
  limitCents?: bigint;
  /** One of its calls is used up before the run begins. */
  isUsed?: boolean;
  /** The test card its delegation charges. */
  card?: string;
};

/** A fault of the sandbox, for this plan's calls only; from the start, or just before a step. */
export type Arming = { fault: FaultName; plan: FaultPlan; times: number; before?: StepId };

/** How a fault is really produced: by the service, by the lab's agent, or by what the run itself sends. */
export type Recipe = {
  path: LabPath;
  token: LabToken;
  /** A plan the person has credits of before the run. */
  plan?: FaultPlan;
  /** The plan is of a single call, which is made before the run. */
  isUsedUp?: boolean;
  arm?: Arming;
  /** What happens in the middle of the run. */
  during?: "revoke" | "order" | "send-twice";
};

export type Fault = {
  id: string;
  label: string;
  does: string;
  recipe: Recipe;
  /** The rail it belongs to, when it means nothing on the other. */
  only?: Rail;
  expected: Ending;
};

/** The rail a fault is run on when `rail` is chosen. */
export const railOf = ({ only }: Fault, rail: Rail): Rail => only ?? rail;

const CALLS = { plan: "calls" } as const;
const MINT = { token: { kind: "mint" } } as const;
const prepared = (more: Omit<PreparedToken, "plan">) =>
  ({ kind: "prepared", plan: "calls", agent: "lab", ...more }) as const;
const settled = (credits: string): Ending => ({
  step: "settle",
  outcome: "settled",
  reason: null,
  money: "settled",
  credits,
});
const refused = (
  step: StepId,
  outcome: OutcomeCode,
  reason: string,
  credits: string | null = "0",
): Ending => ({ step, outcome, reason, money: "refused", credits });

/** What can go wrong with a paid call, how each is produced, and how it must end. */
export const FAULTS: readonly Fault[] = [
  {
    id: "no-token",
    label: "No token",
    does: "The run sends no access token at all.",
    recipe: { path: "ask", token: { kind: "none" }, ...CALLS },
    expected: {
      step: "permission",
      outcome: "token-none",
      reason: null,
      money: "challenged",
      credits: "0",
    },
  },
  {
    id: "garbage-token",
    label: "Garbage token",
    does: "The run sends text that is no token.",
    recipe: { path: "ask", token: { kind: "garbage" }, ...CALLS },
    expected: refused("verify", "invalid_token", "invalid_token"),
  },
  {
    id: "expired",
    label: "Expired",
    does: "A token that lives a second is sent after its end.",
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
    does: "The token is for another agent that takes the same plan.",
    recipe: { path: "ask", token: prepared({ agent: "other" }), ...CALLS },
    expected: refused("verify", "invalid_agent", "invalid_agent"),
  },
  {
    id: "zero-balance",
    label: "Zero balance",
    does: "A plan of one call is used up, and the token may spend too little to order it again.",
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
    does: "A token for one call is used once, then sent again.",
    recipe: { path: "ask", token: prepared({ calls: 1, isUsed: true }), ...CALLS },
    expected: refused("verify", "limit-reached", "insufficient_balance"),
  },
  {
    id: "revoked-mid-run",
    label: "Revoked mid-run",
    does: "The token is revoked after dry verify and before it is sent.",
    recipe: { path: "ask", token: prepared({}), ...CALLS, during: "revoke" },
    expected: refused("pay", "refused-again", "invalid_token"),
  },
  {
    id: "agent-500",
    label: "Agent answers 500",
    does: "The agent works behind its gate, and fails.",
    recipe: { path: "fail", ...MINT, ...CALLS },
    expected: {
      step: "pay",
      outcome: "agent-failed",
      reason: null,
      money: "not-charged",
      credits: "0",
    },
  },
  {
    id: "agent-slow",
    label: "Agent is slow",
    does: "The agent takes 2.5 seconds longer than it needs.",
    recipe: { path: "slow", ...MINT, ...CALLS },
    expected: settled("1"),
  },
  {
    id: "verify-down",
    label: "Verify down",
    does: "The service does not answer the gate's verify.",
    recipe: {
      path: "ask",
      ...MINT,
      ...CALLS,
      arm: { fault: "verify-down", plan: "calls", times: 20, before: "pay" },
    },
    expected: {
      step: "pay",
      outcome: "gate-unavailable",
      reason: "unavailable",
      money: "not-charged",
      credits: "0",
    },
  },
  {
    id: "settle-fails",
    label: "Settle fails",
    does: "The service does not answer the gate's settle while the run looks for it.",
    recipe: {
      path: "late",
      ...MINT,
      plan: "late",
      arm: { fault: "settle-down", plan: "late", times: 500 },
    },
    expected: {
      step: "settle",
      outcome: "delivered-unsettled",
      reason: null,
      money: "delivered-unsettled",
      credits: null,
    },
  },
  {
    id: "settle-reply-lost",
    label: "Settle reply lost",
    does: "The service settles, and its answer to the gate is lost once.",
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
    does: "A request with a token for one call is sent twice at once.",
    recipe: { path: "ask", token: prepared({ calls: 1 }), ...CALLS, during: "send-twice" },
    expected: settled("1"),
  },
  {
    id: "streaming-reply",
    label: "Streaming reply",
    does: "The agent answers in pieces; the receipt comes with the last.",
    recipe: { path: "stream", ...MINT, ...CALLS },
    expected: settled("1"),
  },
  {
    id: "price-change",
    label: "Price changes in the cache",
    does: "The plan becomes dearer while the gate still remembers its old price.",
    recipe: { path: "changing", ...MINT, plan: "changing", during: "order" },
    expected: {
      step: "pay",
      outcome: "gate-unavailable",
      reason: "unavailable",
      money: "not-charged",
      credits: null,
    },
  },
  {
    id: "card-declined",
    only: "card",
    label: "Card declined",
    does: "The call needs a top-up, and the bank declines the card.",
    recipe: {
      path: "card",
      token: { kind: "prepared", plan: "card", agent: "lab", card: "pm_card_chargeCustomerFail" },
    },
    expected: refused("pay", "refused-again", "insufficient_balance"),
  },
  {
    id: "three-d-secure",
    only: "card",
    label: "3-D Secure needed",
    does: "The call needs a top-up, and the bank asks for the card's holder.",
    recipe: {
      path: "card",
      token: {
        kind: "prepared",
        plan: "card",
        agent: "lab",
        card: "pm_card_authenticationRequired",
      },
    },
    expected: refused("pay", "refused-again", "insufficient_balance"),
  },
];
