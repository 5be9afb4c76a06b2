import {
  type InvalidReason,
  isParameter,
  matchesMethod,
  matchesSegments,
  normalizePath,
  type PaymentOffer,
  PlanRedemptionType,
  pathOf,
  type TokenAuthorization,
} from "@turnpike/payments/protocol";
import type { Ports } from "../ports.ts";
import type { Rail } from "../rails/rail.ts";
import type { AgentEndpoint } from "../records.ts";
import type { InspectedToken } from "../tokens/inspect-token.ts";
import type { PermissionFacts } from "./permission-facts.ts";
import {
  agentIdOf,
  findOffer,
  invalidAmount,
  isNetwork,
  type PermissionRequest,
} from "./permission-request.ts";
import { canTopUp } from "./top-up.ts";

/** A request the token pays for, and what settling it takes. */
export type Permission = {
  isAllowed: true;
  payer: string;
  planId: string;
  agentId: string | null;
  jti: string;
  delegationId: string;
  amount: bigint;
  rail: Rail;
  offer: PaymentOffer;
  balance: bigint;
  proofRequired: boolean;
  /** Credits are insufficient; an order within the token's limits would fill the balance. */
  needsOrder: boolean;
};

export type Refusal = {
  isAllowed: false;
  reason: InvalidReason;
  /** Finer than the reason; for the plan's owner only. */
  detail: string;
  payer: string | null;
};

const refuse = (reason: InvalidReason, detail: string, payer: string | null = null): Refusal => ({
  isAllowed: false,
  reason,
  detail,
  payer,
});

type Question = {
  ports: Ports;
  request: PermissionRequest;
  inspected: InspectedToken;
  facts: PermissionFacts;
  /** Holds and settlements require the plan's redeemer; a payer may dry-run their own token. */
  asRedeemer: boolean;
};

/**
 * The one decision about a paid request, shared by verify and settle; the first failure wins. Token,
 * time, plan, agent, amount, limits, balance: cheap checks first, and nothing about another account's plan is
 * disclosed before the token is proven. Throws `invalid_amount` for an amount outside the plan's range.
 */
export function checkPermission(question: Question): Permission | Refusal {
  const { ports, request, inspected, facts } = question;
  if (!inspected.isSound) return refuse("invalid_token", inspected.detail);
  const { authorization, sessionKey } = inspected.token.payload;
  const payer = authorization.from;

  const tokenFault = checkToken(inspected.signer, authorization, facts);
  if (tokenFault) return refuse("invalid_token", tokenFault, payer);
  const { token, delegation, plan } = facts as ProvenFacts;
  // A held request keeps its credits, whatever happens to the token meanwhile.
  const hasHold = facts.hold?.isUsable === true && facts.hold.jti === inspected.jti;
  if (!hasHold) {
    if (token.isRevoked) return refuse("invalid_token", "token_revoked", payer);
    if (delegation.isRevoked) return refuse("invalid_token", "delegation_revoked", payer);
    if (facts.now >= token.expiresAt) return refuse("expired_token", "token_expired", payer);
    if (facts.now >= delegation.expiresAt)
      return refuse("expired_token", "delegation_expired", payer);
  }

  if (!plan) return refuse("invalid_plan", "unknown_plan", payer);
  if (!isEntitled(question, plan, payer)) return refuse("invalid_plan", "not_your_plan", payer);
  const { rails } = ports;
  const rail = rails.getByPrice(plan.price);
  const offer = findOffer(
    request.requirement,
    authorization.planId,
    ({ scheme }) => rails.find(scheme) === rail,
  );
  if (!offer) return refuse("invalid_plan", "plan_not_offered", payer);
  const tokenScheme = inspected.token.accepted?.scheme ?? "";
  if (rails.find(tokenScheme) !== rail) return refuse("invalid_plan", "scheme_changed", payer);
  if (!isNetwork(offer, rail.network)) return refuse("invalid_plan", "other_network", payer);

  const agentId = agentIdOf(offer) ?? authorization.agentId ?? null;
  const agentFault = checkAgent(authorization, agentId, offer, request, facts, hasHold);
  if (agentFault) return refuse("invalid_agent", agentFault, payer);

  const set = hasHold ? (facts.hold?.amount ?? null) : null;
  const amount = amountToTake(plan, request.maxAmount, set);
  const permission: Permission = {
    isAllowed: true,
    payer,
    planId: authorization.planId,
    agentId,
    jti: inspected.jti,
    delegationId: delegation.delegationId,
    amount,
    rail,
    offer,
    balance: (facts.balance?.available ?? 0n) + (facts.balance?.held ?? 0n),
    proofRequired: plan.proofRequired,
    needsOrder: false,
  };
  if (set !== null) {
    if (amount > set)
      throw invalidAmount(`Only ${set} credits are on hold for this request, not ${amount}.`);
    return permission;
  }
  if (
    plan.redemptionType === PlanRedemptionType.ONLY_SUBSCRIBER &&
    !sessionKey.permissions.includes("burn")
  ) {
    return refuse("invalid_token", "no_burn_permission", payer);
  }
  if (token.redemptionsLeft <= 0n) return refuse("insufficient_balance", "redemption_limit", payer);
  if (hasCredits(facts, amount)) return permission;
  const mayOrder = sessionKey.permissions.includes("order");
  const topUp = canTopUp(facts, { rail, amount, mayOrder });
  if (topUp.isAllowed) return { ...permission, needsOrder: true };
  return refuse("insufficient_balance", topUp.detail, payer);
}

type ProvenFacts = PermissionFacts & {
  token: NonNullable<PermissionFacts["token"]>;
  delegation: NonNullable<PermissionFacts["delegation"]>;
};

/** Why the token is not one of ours, or null. */
function checkToken(
  signer: string,
  authorization: TokenAuthorization,
  { token, delegation }: PermissionFacts,
): string | null {
  if (!token || !delegation) return "unknown_token";
  if (delegation.sessionKeyAddress !== signer) return "other_session_key";
  if (token.account !== authorization.from || token.planId !== authorization.planId)
    return "unknown_token";
  return null;
}

/** Whether the caller may redeem this plan's credits (§2.12), or looks at its own token. */
function isEntitled(
  { facts, asRedeemer }: Question,
  plan: NonNullable<PermissionFacts["plan"]>,
  payer: string,
): boolean {
  const { caller } = facts;
  if (!caller) return false;
  if (!asRedeemer && caller.account === payer) return true;
  switch (plan.redemptionType) {
    case PlanRedemptionType.ONLY_GLOBAL_ROLE:
      return caller.isOperator;
    case PlanRedemptionType.ONLY_PLAN_ROLE:
      return plan.callerIsRedeemer;
    default:
      return plan.owner === caller.account;
  }
}

/** Why the request is not one of the agent's the token is for, or null. */
function checkAgent(
  authorization: TokenAuthorization,
  agentId: string | null,
  offer: PaymentOffer,
  { requirement }: PermissionRequest,
  { agent, plan }: PermissionFacts,
  isHeld: boolean,
): string | null {
  const verb = offer.extra?.httpVerb?.toUpperCase();
  const url = requirement.resource?.url;
  if (authorization.agentId && agentId !== authorization.agentId) return "other_agent";
  if (authorization.httpVerb && verb !== authorization.httpVerb.toUpperCase()) return "other_verb";
  if (authorization.resource && !isSamePath(authorization.resource, url)) return "other_resource";
  if (agentId === null) return null;
  if (!agent || agent.owner !== plan?.owner) return "unknown_agent";
  if (isHeld) return null;
  if (!agent.isLinked) return "plan_not_linked";
  return matchesEndpoint(agent.endpoints, verb, url) ? null : "endpoint_not_registered";
}

const isSamePath = (bound: string, url: string | undefined) =>
  url !== undefined &&
  normalizePath(pathOf(bound))?.join("/") === normalizePath(pathOf(url))?.join("/");

/** Only paths are compared: a gate behind a proxy does not know its outside origin. */
function matchesEndpoint(
  endpoints: AgentEndpoint[],
  verb: string | undefined,
  url: string | undefined,
): boolean {
  const fitsVerb = (endpoint: AgentEndpoint) =>
    verb === undefined || matchesMethod(endpoint.verb, verb);
  if (endpoints.length === 0) return true;
  // A stock facilitator does not send the resource; the verb is in the offer.
  if (url === undefined) return endpoints.some(fitsVerb);
  const segments = normalizePath(pathOf(url));
  if (segments === null) return false;
  return endpoints.some((endpoint) => {
    if (!fitsVerb(endpoint)) return false;
    const pattern = pathOf(endpoint.url).split("/").filter(Boolean);
    // A requirement may name the route's pattern or a path of it.
    return (
      matchesSegments(pattern, segments) ||
      (pattern.length === segments.length &&
        pattern.every(
          (part, index) =>
            part === segments[index] || (isParameter(part) && isParameter(segments[index] ?? "")),
        ))
    );
  });
}

/**
 * The credits one request takes: on dynamic plans the amount asked for, on fixed plans their price. A fixed
 * price is the one on hold when there is one, whichever version the subscriber has ordered since.
 */
function amountToTake(
  plan: NonNullable<PermissionFacts["plan"]>,
  maxAmount: bigint | undefined,
  onHold: bigint | null,
): bigint {
  if (plan.accessLimit === "time") return 0n;
  const { minAmount, maxAmount: most } = plan;
  if (plan.isFixed) {
    const price = onHold ?? minAmount;
    if (maxAmount !== undefined && maxAmount < price) {
      throw invalidAmount(`This plan takes ${price} credits a request; the cap is ${maxAmount}.`);
    }
    return price;
  }
  const amount = maxAmount ?? minAmount;
  if (amount < minAmount || amount > most) {
    throw invalidAmount(
      `This plan takes ${minAmount} to ${most} credits a request, not ${amount}.`,
    );
  }
  return amount;
}

function hasCredits({ balance, plan }: PermissionFacts, amount: bigint): boolean {
  if (!balance?.isLive) return false;
  return plan?.accessLimit === "time" ? balance.available >= 1n : balance.available >= amount;
}
