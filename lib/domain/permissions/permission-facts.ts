import { ChainStatus } from "@turnpike/payments/protocol";
import * as z from "zod";

const instant = z.string().transform((text) => new Date(text));
const amount = z.string().transform(BigInt);

/** Causes by which one limit refuses. */
export const BUDGET_CAUSES = [
  "budget_not_allowed",
  "budget_per_call",
  "budget_per_day",
  "budget_per_week",
  "budget_per_month",
  "budget_per_builder",
  "budget_per_agent",
] as const;

/** What a version of a plan asks of each request. */
const Terms = z.object({
  version: z.number(),
  minAmount: amount,
  maxAmount: amount,
  isFixed: z.boolean(),
  redemptionType: z.number(),
  proofRequired: z.boolean(),
  holderRequired: z.boolean(),
});

const Shared = z.object({
  now: instant,
  caller: z
    .object({
      account: z.string(),
      isUsable: z.boolean(),
      /** Whether the operator has the account stopped. */
      isStopped: z.boolean().optional(),
      isOperator: z.boolean(),
    })
    .nullable(),
  plan: z
    .object({
      owner: z.string(),
      accessLimit: z.enum(["credits", "time"]),
      isTrial: z.boolean(),
      /** Sells nothing more; what was sold pays as before. */
      isArchived: z.boolean(),
      /** Sells to its owner alone. */
      isDraft: z.boolean(),
      /** Those of the newest version. */
      terms: Terms,
      /** What a new order grants and costs. */
      newest: z.object({
        version: z.number(),
        granted: amount,
        durationSecs: amount,
        /** The most credits of one request. */
        perRequest: amount,
        price: z.object({
          amounts: z.array(amount),
          tokenAddress: z.string(),
          isCrypto: z.boolean(),
          currency: z.string().optional(),
        }),
      }),
      /** The most credits of one request at the version a bearer token signed; null for all other tokens. */
      signedPerRequest: amount.nullable(),
      callerIsRedeemer: z.boolean(),
    })
    .nullable(),
  agent: z
    .object({
      owner: z.string(),
      endpoints: z.array(z.object({ verb: z.string(), url: z.string() })),
      isLinked: z.boolean(),
    })
    .nullable(),
});

const Own = z.object({
  token: z
    .object({
      account: z.string(),
      planId: z.string(),
      canOrder: z.boolean(),
      redemptionsLeft: amount,
      orderLeft: amount,
      expiresAt: instant,
      isRevoked: z.boolean(),
      leaseSecs: z.number(),
    })
    .nullable(),
  delegation: z
    .object({
      delegationId: z.string(),
      provider: z.string(),
      isRevoked: z.boolean(),
      expiresAt: instant,
      sessionKeyAddress: z.string(),
      budgetLeft: amount,
      orderLimit: amount.nullable(),
      transactionsLeft: amount.nullable(),
      currency: z.string(),
    })
    .nullable(),
  /** The terms that count where they are not the newest: of the request's hold, else those the subscriber ordered. */
  terms: z.nullable(Terms),
  /** Null when the account never ordered the plan. `isLive` is false once its time is over. */
  balance: z
    .object({
      available: amount,
      held: amount,
      /** Credits that a reversed payment took after they were used: the next order repays them first. */
      debt: amount,
      isLive: z.boolean(),
    })
    .nullable(),
  /**
   * The top-up that a request with insufficient credits waits for: one of its balance that is under way, or one of its
   * delegation that its holder can confirm.
   */
  openTopUp: z.enum(["reserved", "charging", "requires_action"]).nullable(),
  /** Whether the request ordered the plan before, and no hold of it says which order that was. */
  hasOrdered: z.boolean(),
  /** What the budgets of delegation and account leave for this request; null without any. */
  budgets: z
    .object({
      /** Each limit that concerns it, the first to refuse it first; without a unit nothing is allowed. */
      room: z.array(
        z.object({
          cause: z.enum(BUDGET_CAUSES),
          unit: z.enum(["money", "credits"]).nullable(),
          currency: z.string().nullable(),
          left: amount.nullable(),
        }),
      ),
      /** When it waits for a person: above these, or whatever it costs for `reason`. */
      asks: z.object({
        above: amount.nullable(),
        currency: z.string().nullable(),
        aboveCredits: amount.nullable(),
        reason: z.enum(["new-builder", "outside-hours"]).nullable(),
      }),
      approval: z
        .object({
          state: z.enum(["approved", "used", "declined"]),
          maxCents: amount,
          currency: z.string().nullable(),
          maxCredits: amount,
        })
        .nullable(),
    })
    .nullable(),
  hold: z
    .object({
      jti: z.string(),
      amount,
      state: z.enum(["held", "posted", "released", "expired"]),
      expiresAt: instant,
      isUsable: z.boolean(),
      /** The payment of the order that the request placed before it was held. */
      orderTx: z.string().nullable(),
      /** Whether it was made for the same method, path and agent, as far as that is known. */
      isSameCall: z.boolean(),
      /** Whether the same attempt at the request made it, as far as that is known. */
      isSameAttempt: z.boolean(),
    })
    .nullable(),
  settlement: z
    .object({
      fingerprint: z.string(),
      settlementId: z.string(),
      amount,
      remaining: amount,
      orderTx: z.string().nullable(),
      transaction: z.string(),
      chainStatus: ChainStatus,
      account: z.string(),
      planId: z.string(),
      network: z.string(),
    })
    .nullable(),
});

/**
 * What one database read says about requests: the ground of verify and settle. The SQL function `facts_together`
 * answers it in these shapes, once what requests have in common, so that a fact is named there and here and nowhere else.
 * What was not found is null. Compiled, they are read in an eighth of the time.
 */
export const SharedFacts = z.compile(Shared);
export const OwnFacts = z.compile(Own);
type Shared = z.output<typeof SharedFacts>;
type Own = z.output<typeof OwnFacts>;

export type PermissionFacts = Omit<Shared, "plan"> &
  Omit<Own, "terms"> & {
    plan: (Omit<NonNullable<Shared["plan"]>, "isDraft" | "terms"> & z.output<typeof Terms>) | null;
  };

/** What is known about one request. */
export function factsOf({ now, caller, plan, agent }: Shared, own: Own): PermissionFacts {
  const { token, delegation, terms, balance, openTopUp, hasOrdered, budgets, hold, settlement } =
    own;
  return {
    now,
    caller,
    token,
    delegation,
    plan: plan && planFor(plan, token?.account, terms),
    agent,
    balance,
    openTopUp,
    hasOrdered,
    budgets,
    hold,
    settlement,
  };
}

/** A draft is as archived to all but its owner. */
function planFor(
  { isArchived, isDraft, terms: newest, ...plan }: NonNullable<Shared["plan"]>,
  account: string | undefined,
  terms: Own["terms"],
): PermissionFacts["plan"] {
  const isSold = !isArchived && !(isDraft && plan.owner !== account);
  return { isArchived: !isSold, ...plan, ...(terms ?? newest) };
}

/** The fingerprint of a request that was settled by the record of its hold, without its body. */
export const SETTLED_BY_RECORD = "by-record";

/** What is left to use of a balance: nothing once its time is over. */
export const liveCredits = (balance: PermissionFacts["balance"]): bigint =>
  balance?.isLive ? balance.available : 0n;

/** The facts once it is known who asks. */
export type ReadFacts = PermissionFacts & { caller: NonNullable<PermissionFacts["caller"]> };

/** What was read about a request that is held, and the digest of the body it was read for. */
export type CachedFacts = { fingerprint: string; facts: ReadFacts };

/** Held requests of this process that are not settled yet: a bounded number, the oldest dropped first. */
export type FactsCache = {
  set(key: string, cached: CachedFacts): void;
  get(key: string): CachedFacts | undefined;
  delete(key: string): void;
};

/** Why a request's id cannot be reserved or settled; a repeat is told what became of it. */
export function usedText(
  agentRequestId: string,
  { settlement, hold }: Pick<ReadFacts, "settlement" | "hold">,
  { jti, account }: { jti: string; account: string },
): { message: string; detail?: "settled" | "released" | "expired" } {
  const id = JSON.stringify(agentRequestId);
  const isRepeat = hold ? hold.jti === jti && hold.isSameCall : settlement?.account === account;
  if (isRepeat && (settlement || hold?.state === "posted"))
    return { message: `The request ${id} is settled. Nothing was reserved.`, detail: "settled" };
  if (isRepeat && hold?.state === "released")
    return { message: `The request ${id} was released as not delivered.`, detail: "released" };
  if (isRepeat && hold && !hold.isUsable)
    return { message: `The reservation of the request ${id} has expired.`, detail: "expired" };
  return { message: `The request id ${id} was used for another request.` };
}
