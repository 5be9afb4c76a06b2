import { EXACT, isFree, PlanRedemptionType } from "@turnpike/payments/protocol";
import type { Quote, Rail } from "../rails/rail.ts";
import type { Rails } from "../rails/rails.ts";
import type { HolderState } from "../tokens/holder.ts";
import type { InspectedToken } from "../tokens/inspect-token.ts";
import { findAgentFault } from "./agent-fault.ts";
import { amountToTake } from "./amount-to-take.ts";
import { findBudgetFault } from "./budget-fault.ts";
import type { Cause } from "./causes.ts";
import { findOrderFault } from "./order-terms.ts";
import {
  liveCredits,
  type PermissionFacts,
  type ReadFacts,
  SETTLED_BY_RECORD,
  usedText,
} from "./permission-facts.ts";
import { agentIdOf, findOffer, isNetwork, type PermissionRequest } from "./permission-request.ts";
import { isRedeemer } from "./redeemer.ts";
import {
  findLifeFault,
  findProofFault,
  findTokenFault,
  type ProvenFacts,
  signedAmount,
} from "./token-fault.ts";

/** What is asked: whether a request would be paid, to reserve its credits, or to take them. */
export type Intent = "check" | "reserve" | "settle";

export type Question = {
  intent: Intent;
  request: PermissionRequest;
  inspected: InspectedToken;
  holder: HolderState;
  /** What the database knows, read at one moment. */
  facts: ReadFacts;
  rails: Rails;
  /** The digest of the request, to tell a repeat of a settlement from another request of the same id. */
  fingerprint: string;
};

/** A request the token pays for, and what settling it takes. */
export type Permission = {
  payer: string;
  planId: string;
  /** The plan's newest version: the one that an order would buy. */
  planVersion: number;
  /** The version whose terms decided, which its hold keeps. */
  termsVersion: number;
  agentId: string | null;
  jti: string;
  delegationId: string;
  amount: bigint;
  rail: Rail;
  /** As the offer spells them. */
  scheme: string;
  network: string;
  /** Credits the subscriber has, reserved ones included. */
  balance: bigint;
  isPaid: boolean;
  proofRequired: boolean;
};

/** What waits for a person, when a budget asks for one: the request, and what it would order first. */
type Asked = { permission: Permission; order: Quote | null };

type Settlement = NonNullable<PermissionFacts["settlement"]>;

export type Decision =
  /** The token does not pay for this request (§7.1). */
  | { kind: "refuse"; cause: Cause; payer: string | null; asks?: Asked }
  /** The request is wrong in itself, or contradicts what was done under its id. */
  | {
      kind: "reject";
      code: "invalid_amount" | "idempotency_conflict" | "conflict";
      message: string;
      /** What became of a repeat. */
      detail?: ReturnType<typeof usedText>["detail"];
    }
  /** The request was settled before: the same answer again. */
  | { kind: "replay"; settlement: Settlement }
  /** The token pays; nothing is left to do, because nothing was to be changed or the credits are reserved already. */
  | {
      kind: "allow";
      permission: Permission;
      needsOrder: boolean;
      reservedUntil?: Date;
      isRepeat?: true;
    }
  /** Credits are insufficient, and the token allows an order that fills them, or one is under way. */
  | { kind: "order"; permission: Permission }
  | { kind: "reserve"; permission: Permission }
  | { kind: "settle"; permission: Permission; fromHold: boolean };

/**
 * What to do about a paid request (§4.1): the one decision behind verify and settle. Pure: the same facts give the same
 * decision, and nothing is done. The first failure wins, in the order token, time, plan, agent, amount, limits, balance:
 * cheap checks first, and nothing about another account's plan before the token is proven.
 */
export function decide(question: Question): Decision {
  const { intent, facts } = question;
  if (intent === "settle") {
    const before = decideBySettled(question);
    if (before) return before;
  }
  const permission = readPermission(question);
  if ("kind" in permission) return permission;

  const { settlement, hold } = facts;
  if (intent === "check") return checkFunds(question, permission);
  if (intent === "settle") {
    if (usableHold(question)) return { kind: "settle", permission, fromHold: true };
    // One request is paid by one token: while another's credits are reserved for it, this is another request. So is a
    // lease that has paid for all its requests.
    if (hold && hold.state !== "expired") return usedBefore(question);
    const funded = checkFunds(question, permission);
    if (funded.kind !== "allow") return funded;
    return funded.needsOrder
      ? { kind: "order", permission }
      : { kind: "settle", permission, fromHold: false };
  }
  if (settlement) return usedBefore(question);
  // What was released as not delivered may be tried again.
  if (hold && !(hold.state === "released" && hold.jti === permission.jti)) {
    const isSame = usableHold(question) && hold.amount === permission.amount && hold.isSameCall;
    return isSame
      ? {
          kind: "allow",
          permission,
          needsOrder: false,
          reservedUntil: hold.expiresAt,
          ...(!hold.isSameAttempt && { isRepeat: true }),
        }
      : usedBefore(question);
  }
  const funded = checkFunds(question, permission);
  if (funded.kind !== "allow") return funded;
  return { kind: funded.needsOrder ? "order" : "reserve", permission };
}

/** What follows from what was done under the request's id before. */
function decideBySettled(question: Question): Decision | null {
  const { request, inspected, facts, fingerprint } = question;
  const { settlement, hold } = facts;
  const id = JSON.stringify(request.agentRequestId);
  if (settlement) {
    // Settled from its hold, without a body: the token of that hold is the same request.
    const isItsToken = inspected.isSound && inspected.jti === hold?.jti;
    const isSame =
      settlement.fingerprint === SETTLED_BY_RECORD
        ? isItsToken
        : settlement.fingerprint === fingerprint;
    if (isSame) return { kind: "replay", settlement };
    return {
      kind: "reject",
      code: "idempotency_conflict",
      message: `The request id ${id} was settled with another body.`,
    };
  }
  if (hold?.state === "released") {
    const message = `The request ${id} was released as not delivered and is not charged.`;
    return { kind: "reject", code: "conflict", message };
  }
  return null;
}

const usedBefore = ({ request: { agentRequestId }, facts, inspected }: Question): Decision => ({
  kind: "reject",
  code: "idempotency_conflict",
  ...usedText(agentRequestId, facts, {
    jti: inspected.isSound ? inspected.jti : "",
    account: inspected.isSound ? inspected.token.payload.authorization.from : "",
  }),
});

/** The credits reserved for this request, which its own token may use whatever happens to it meanwhile. */
function usableHold({ inspected, facts: { hold } }: Question): { amount: bigint } | null {
  return inspected.isSound && hold?.isUsable === true && hold.jti === inspected.jti ? hold : null;
}

/** Everything but limits and balance: who pays whom for what, and how much. */
function readPermission(question: Question): Permission | Decision {
  const { request, inspected, facts, rails } = question;
  const refuse = (cause: Cause, payer: string | null): Decision => ({
    kind: "refuse",
    cause,
    payer,
  });
  if (!inspected.isSound) return refuse(inspected.detail, null);
  const { authorization } = inspected.token.payload;
  const payer = authorization.from;
  const hold = usableHold(question);

  const tokenFault = findTokenFault(authorization, inspected.signer, facts);
  // Anyone can sign a token that names another account.
  if (tokenFault) return refuse(tokenFault, null);
  const { token, delegation, plan } = facts as ProvenFacts;
  // Told to mint another token, a client would pay again for what this one has begun.
  const begun = question.intent === "reserve" && facts.hold?.state !== "released" && facts.hold;
  const isBegun = begun && begun.jti === inspected.jti;
  const lifeFault = hold || isBegun ? null : findLifeFault(token, delegation, facts.now);
  if (lifeFault) return refuse(lifeFault, payer);

  const isOwnToken = question.intent === "check" && facts.caller.account === payer;
  // A replay of another's request must not find its hold; what was reserved is settled without the signature.
  const isProven = isOwnToken || (hold && question.intent === "settle");
  const proofFault = isProven ? null : findProofFault(question.holder);
  if (proofFault) return refuse(proofFault, payer);
  if (!plan) return refuse("unknown_plan", payer);
  if (!isOwnToken && !isRedeemer(facts.caller, plan)) return refuse("not_your_plan", payer);
  // What was begun and is no longer reserved is used, whatever its plan, offer and price are now.
  if (isBegun && !hold) return usedBefore(question);
  const isBearer = question.holder === "bearer";
  if (plan.holderRequired && isBearer && !hold) return refuse("holder_required", payer);
  const rail = rails.getByPrice(plan.newest.price);
  const isOnRail = ({ scheme }: { scheme: string }) => rails.find(scheme)?.scheme === rail.scheme;
  const offer = findOffer(request.requirement, authorization.planId, isOnRail);
  if (!offer) return refuse("plan_not_offered", payer);
  if (!isOnRail({ scheme: inspected.token.accepted?.scheme ?? "" }))
    return refuse("scheme_changed", payer);
  if (!isNetwork(offer, rail.network)) return refuse("other_network", payer);

  // Other brands' clients name paths without their mount, and verify 0 credits before they know how many.
  const isAlias = offer.scheme !== rail.scheme;
  const agentId = agentIdOf(offer) || authorization.agentId || null;
  const agentFault = findAgentFault({
    authorization,
    agentId,
    offer,
    request,
    facts,
    isHeld: hold !== null,
    isAlias,
  });
  if (agentFault) return refuse(agentFault, payer);

  const isUnpriced = isAlias && question.intent === "check" && request.maxAmount === 0n;
  const asked = isUnpriced ? undefined : request.maxAmount;
  const amount = amountToTake(plan, asked, hold?.amount ?? null);
  if (typeof amount !== "bigint") return { kind: "reject", code: "invalid_amount", ...amount };
  if (!isBearer && !hold && amount > signedAmount(inspected.token)) {
    return refuse("amount_not_signed", payer);
  }
  return {
    payer,
    planId: authorization.planId,
    planVersion: plan.newest.version,
    termsVersion: plan.version,
    agentId,
    jti: inspected.jti,
    delegationId: delegation.delegationId,
    amount,
    rail,
    scheme: offer.scheme,
    network: offer.network ?? rail.network,
    balance: liveCredits(facts.balance) + (facts.balance?.held ?? 0n),
    // Credits bought by a wallet without an account are in the ledger alone.
    isPaid: !isFree(plan.newest.price) && delegation.provider !== EXACT,
    proofRequired: plan.proofRequired,
  };
}

/** Limits and balance of a request that has no credits reserved. */
function checkFunds(
  question: Question,
  permission: Permission,
): Extract<Decision, { kind: "refuse" | "allow" }> {
  const { inspected, facts } = question;
  const { payer, amount, rail } = permission;
  const allow = (needsOrder: boolean) => ({ kind: "allow", permission, needsOrder }) as const;
  const refuse = (cause: Cause) => ({ kind: "refuse", cause, payer }) as const;
  if (usableHold(question)) return allow(false);
  if (!inspected.isSound) return refuse(inspected.detail);
  const { permissions, limits } = inspected.token.payload.sessionKey;
  if (mustAllowBurn(facts) && !permissions.includes("burn")) return refuse("no_burn_permission");
  const { token } = facts as ProvenFacts;
  if (token.redemptionsLeft <= 0n) return refuse("redemption_limit");
  const needsOrder = !hasCredits(facts, amount);
  const mayOrder = permissions.includes("order");
  const fault = needsOrder ? findOrderFault(facts, { rail, amount, mayOrder, limits }) : null;
  const isOrdering = needsOrder && !facts.openTopUp;
  const order = isOrdering && facts.plan ? rail.quote(facts.plan.newest.price) : null;
  const refusal = fault ?? findBudgetFault(facts, { credits: amount, order });
  if (refusal !== "pending_approval") return refusal ? refuse(refusal) : allow(needsOrder);
  return { kind: "refuse", cause: refusal, payer, asks: { permission, order } };
}

/** Where subscribers redeem their own credits, their token must say so (§2.12). */
const mustAllowBurn = ({ plan }: PermissionFacts): boolean =>
  plan?.redemptionType === PlanRedemptionType.ONLY_SUBSCRIBER;

function hasCredits({ balance, plan }: PermissionFacts, amount: bigint): boolean {
  if (!balance?.isLive) return false;
  return balance.available >= (plan?.accessLimit === "time" ? 1n : amount);
}
