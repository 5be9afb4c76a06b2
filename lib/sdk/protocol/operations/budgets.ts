import * as z from "zod/mini";
import { Currency } from "../delegation.ts";
import { PageQuery, pageOf } from "../listing.ts";
import { Address, AgentId, Count, Decimal, Uint256 } from "../primitives.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { Nothing } from "./shared.ts";

const Id = z.string().check(z.minLength(1), z.maxLength(64));

/** What a limit counts in: UTC calendar days, weeks from Monday, months, or one call. */
export const BudgetPeriod = z.enum(["call", "day", "week", "month"]);
export type BudgetPeriod = z.output<typeof BudgetPeriod>;

const limitShape = {
  period: BudgetPeriod,
  /** `money`: orders, in minor units of the budget's currency. `credits`: what calls take. */
  unit: z.enum(["money", "credits"]),
  /** For one builder alone. */
  builder: z.optional(Address),
  /** For calls of one agent alone. */
  agentId: z.optional(AgentId),
};
const LIMITS = 50;
const ALLOWED = 200;

const BudgetLimit = z.object({ ...limitShape, limit: Uint256 }).check(
  z.refine(({ builder, agentId }) => !(builder && agentId), {
    path: ["agentId"],
    message: "A limit is for one builder or one agent.",
  }),
);

/** Who may be paid: these builders, and these agents. */
const Allowed = z.object({
  builders: z.optional(z.array(Address).check(z.maxLength(ALLOWED))),
  agents: z.optional(z.array(AgentId).check(z.maxLength(ALLOWED))),
});

const Clock = z
  .string()
  .check(z.regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "Expected a time such as 07:00."));

/** Which requests wait for a person. Orders that a signed-in person makes never wait. */
export const ApprovalRule = z.object({
  /** Orders above this, in minor units of the budget's currency. */
  above: z.optional(Uint256),
  /** Calls that may take more credits. */
  aboveCredits: z.optional(Uint256),
  /** Requests of a builder that the account has bought nothing from. */
  newBuilders: z.optional(z.boolean()),
  /** Requests outside these hours, UTC. */
  outsideHours: z.optional(
    z.object({ from: Clock, to: Clock }).check(
      z.refine(({ from, to }) => from !== to, {
        path: ["to"],
        message: "Ends when it begins. Choose another time.",
      }),
    ),
  ),
  /**
   * How long a person has to decide, and the request to pass afterwards: 30 by default. A call's request expires at the latest with
   * its token.
   */
  minutes: z.optional(z.pipe(Count, z.number().check(z.minimum(1), z.maximum(10_080)))),
});
export type ApprovalRule = z.output<typeof ApprovalRule>;

/** What is left out stays; what is empty is removed. A misspelt name must not empty it: unknown ones are refused. */
const BudgetsInput = z.object({
  /** Of an account's budgets: `usd` unless given. A delegation's are in its own currency. */
  currency: z.optional(Currency),
  limits: z.optional(z.array(BudgetLimit).check(z.maxLength(LIMITS))),
  allow: z.optional(
    z.strictObject(Allowed.shape).check(
      z.refine((lists) => Object.values(lists).every((list) => list?.length !== 0), {
        path: ["builders"],
        message: "Name a builder or an agent, or send `{}` to allow everyone.",
      }),
    ),
  ),
  approval: z.optional(z.strictObject(ApprovalRule.shape)),
});
export type BudgetsInput = z.output<typeof BudgetsInput>;

/** Budgets and what they have been used for. */
export const Budgets = z.object({
  /** Left out for the account's. */
  delegationId: z.optional(z.string()),
  currency: z.string(),
  limits: z.array(
    z.object({
      ...limitShape,
      limit: Decimal,
      used: Decimal,
      /** When its period began and ends; left out for a call. */
      startedAt: z.optional(z.string()),
      resetsAt: z.optional(z.string()),
      /** What it will have been used for by then at the rate so far; left out until a quarter of the period is over. */
      forecast: z.optional(Decimal),
    }),
  ),
  allow: z.optional(Allowed),
  approval: z.optional(ApprovalRule),
});
export type Budgets = z.output<typeof Budgets>;

/** How far an approval is. `used`: its request was paid. */
export const ApprovalStatus = z.enum(["pending", "approved", "declined", "expired", "used"]);
export type ApprovalStatus = z.output<typeof ApprovalStatus>;

/** A request that waits for a person, or that one decided about. */
export const Approval = z.object({
  approvalId: z.string(),
  status: ApprovalStatus,
  /** Why it waits. */
  reason: z.enum(["amount", "new-builder", "outside-hours"]),
  planId: z.string(),
  planName: z.string(),
  builder: z.string(),
  agentId: z.optional(z.string()),
  /** Method and path of the call; empty for an order by an API key. */
  call: z.string(),
  tokenId: z.optional(z.string()),
  delegationId: z.optional(z.string()),
  /** The most that it may order, in minor units of `currency` (cents, of `usdc` too), and the most credits it may take. */
  maxCents: Decimal,
  currency: z.optional(z.string()),
  maxCredits: Decimal,
  /** What the account did with this builder before. */
  history: z.object({ orders: z.number(), approved: z.number(), declined: z.number() }),
  createdAt: z.string(),
  /** Until when it can be decided; once approved, until when the request may pass. */
  expiresAt: z.string(),
  decidedAt: z.optional(z.string()),
  decidedBy: z.optional(z.enum(["person", "key", "link"])),
  decidedKey: z.optional(z.string()),
});
export type Approval = z.output<typeof Approval>;

const DelegationRef = z.object({ delegationId: Id });
const Decision = z.object({
  approvalId: Id,
  /** From the link of its notice: valid once. */
  secret: z.optional(z.string().check(z.maxLength(128))),
});
const decided = (approvalId: string, more: { secret?: string } = {}) => ({ approvalId, ...more });

export const budgets = /* @__PURE__ */ defineCalls({
  /** Gets your account's budgets and what they have been used for. */
  getBudgets: { route: "GET /budgets", input: Nothing, output: Budgets },
  /**
   * Sets your account's budgets, over all its delegations, tokens, keys and rails. A member
   * that is left out stays as it is; `limits: []`, `allow: {}` and `approval: {}` remove.
   *
   * @example await payments.budgets.setBudgets({ limits: [{ period: "day", unit: "money", limit: 10_000n }] })
   */
  setBudgets: { route: "PUT /budgets", input: BudgetsInput, output: Budgets },
  /** Gets a delegation's budgets and what they have been used for. */
  getDelegationBudgets: {
    route: "GET /delegation/:delegationId/budgets",
    args: (delegationId: string) => ({ delegationId }),
    input: DelegationRef,
    output: Budgets,
  },
  /**
   * Sets a delegation's budgets, in its currency. A member that is left out stays as it is; `limits: []`, `allow: {}` and
   * `approval: {}` remove.
   */
  setDelegationBudgets: {
    route: "PUT /delegation/:delegationId/budgets",
    args: (delegationId: string, input: z.input<typeof BudgetsInput>) => ({
      delegationId,
      ...input,
    }),
    input: z.extend(BudgetsInput, DelegationRef.shape),
    output: Budgets,
  },
  /** Lists requests that wait for a person or were decided, newest first. */
  listApprovals: {
    route: "GET /approvals",
    input: z.extend(PageQuery, {
      status: z.optional(ApprovalStatus),
      delegationId: z.optional(Id),
    }),
    output: pageOf(Approval),
  },
  /** Gets one request that waits or was decided. */
  getApproval: {
    route: "GET /approvals/:approvalId",
    args: (approvalId: string) => ({ approvalId }),
    input: z.object({ approvalId: Id }),
    output: Approval,
  },
  /** Approves a request: it passes once, up to its maximum. Throws `conflict` once it is decided or expired. */
  approveRequest: {
    route: "POST /approvals/:approvalId/approve",
    args: decided,
    input: Decision,
    output: Approval,
  },
  /** Declines a request; nothing is charged. Throws `conflict` once it is decided or expired. */
  declineRequest: {
    route: "POST /approvals/:approvalId/decline",
    args: decided,
    input: Decision,
    output: Approval,
  },
});

export const budgetOperations = /* @__PURE__ */ serveCalls(
  // Keys that buy must not raise their own budgets: only `money:write` does.
  { name: "budgets", section: "Budgets and approvals", scope: "money" },
  budgets,
  {
    getBudgets: { scope: "delegations", summary: "Get your account's budgets and their use" },
    setBudgets: {
      summary: "Set your account's budgets; members left out stay unchanged",
      sample: ({ builder, agentId }) => ({
        currency: "usd",
        limits: [
          { period: "day", unit: "money", limit: "1000000" },
          { period: "week", unit: "credits", limit: "5000000", builder: builder.address },
          { period: "call", unit: "credits", limit: "10000", agentId },
        ],
        allow: { builders: [builder.address], agents: [agentId] },
        approval: {
          above: "500000",
          aboveCredits: "5000",
          newBuilders: false,
          outsideHours: { from: "00:00", to: "24:00" },
          minutes: 30,
        },
      }),
    },
    getDelegationBudgets: {
      scope: "delegations",
      summary: "Get a delegation's budgets and their use",
    },
    setDelegationBudgets: {
      summary: "Set a delegation's budgets; members left out stay unchanged",
      sample: ({ spare: { delegationId } }) => ({
        delegationId,
        limits: [{ period: "day", unit: "money", limit: "10000" }],
      }),
    },
    listApprovals: {
      scope: "delegations",
      summary: "List requests that wait for a person or were decided",
      sample: () => ({ ...samplePage, status: "pending" }),
    },
    getApproval: { scope: "delegations", summary: "Get a request that waits for a person" },
    approveRequest: { summary: "Approve a request that waits" },
    declineRequest: {
      summary: "Decline a request that waits",
      sample: ({ spare }) => ({ approvalId: spare.approvalToDeclineId }),
    },
  },
);
