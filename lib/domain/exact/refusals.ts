import {
  EXACT,
  isExactOffer,
  PaymentsError,
  pathOf,
  planIdOf,
  type Settlement,
} from "@turnpike/payments/protocol";
import { requireUsable } from "../accounts/stopped.ts";
import type { Context } from "../context.ts";
import { type Cause, payerTextOf, reasonOf, reasonText } from "../permissions/causes.ts";
import type { ReadFacts } from "../permissions/permission-facts.ts";
import { findOffer, type PermissionRequest, subjectOf } from "../permissions/permission-request.ts";
import type { OrderRecord } from "../records.ts";
import { type ExactChain, type ExactFault, walletDelegation } from "./exact-ports.ts";
import { type Bought, type ExactRequest, isForPlan } from "./read-exact.ts";

/** What a fault of an authorization is called among the causes of a refusal. */
export const CAUSE_OF_FAULT: Record<ExactFault, Cause> = {
  authorization_signature: "authorization_signature",
  authorization_early: "authorization_early",
  authorization_expired: "authorization_expired",
  authorization_used: "authorization_used",
  insufficient_funds: "wallet_funds",
  amount_too_small: "amount_too_small",
  capture_failed: "capture_failed",
};

/** What a refusal to write an authorization is called. */
export const CAUSE_OF_OPENING = {
  used: "authorization_used",
  underfunded: "wallet_funds",
  "trial-taken": "trial_used_up",
  full: "balance_full",
  "gas-budget": "gas_budget",
  failed: "capture_failed",
} as const satisfies Record<string, Cause>;

const notTaken = () =>
  new PaymentsError("rail_unavailable", "This deployment doesn't accept exact payments.");

/** The chain that has authorizations; throws `rail_unavailable` where there is none. */
export function exactOf({ ports }: Pick<Context, "ports">): ExactChain {
  if (ports.exact) return ports.exact;
  throw notTaken();
}

/** The same for a new payment: throws `rail_unavailable` also where it could not be captured. */
export function takingExactOf(context: Pick<Context, "ports">): ExactChain {
  const exact = exactOf(context);
  if (exact.takesPayments) return exact;
  throw notTaken();
}

/**
 * What is known about the request and who asks. Throws `unauthorized` for an unknown, expired or revoked key. Of a payment for a
 * plan, the caller can be stopped and the key can have ended: what it has paid already is still answered for.
 */
export async function readExactFacts(
  { ports, keyHash, caller }: Context,
  request: PermissionRequest,
  exact: ExactRequest,
): Promise<ReadFacts> {
  const { payment, planId, offer } = exact;
  const read = await ports.ledger.readFacts({
    keyHash: keyHash ?? "",
    jti: payment.id,
    planId,
    agentId: offer?.extra?.agentId ?? null,
    agentRequestId: request.agentRequestId,
    attemptId: request.attemptId,
    subject: exactSubject(request, planId ?? ""),
  });
  const asking = keyHash || !caller ? read.caller : { ...caller, isUsable: true };
  const isLater = asking && isForPlan(exact);
  return { ...read, caller: isLater ? asking : requireUsable<ReadFacts["caller"]>(asking) };
}

/**
 * What a call paid by `exact` is for, and who calls, as far as that is known; the same in every attempt of it. Offers of a route
 * have the same method and agent, so any tells them once that of the plan is not made any more.
 */
export function exactSubject(request: PermissionRequest, planId: string): string {
  const { requirement } = request;
  const offer =
    findOffer(requirement, planId, isExactOffer) ??
    requirement.accepts.find(isExactOffer) ??
    requirement.accepts[0];
  const agentId = offer?.extra?.agentId ?? null;
  const ofOffer = (offer && planIdOf(offer)) ?? planId;
  const scheme = offer?.scheme ?? EXACT;
  const subject = subjectOf(request, { planId: ofOffer, scheme, agentId });
  return request.requestDigest ? `${subject} ${request.requestDigest}` : subject;
}

/** A refusal as verify answers it. */
export function refusalOf(cause: Cause, payer: string) {
  const invalidReason = reasonOf(cause);
  const invalidMessage = payerTextOf(cause) ?? reasonText(invalidReason);
  return { invalidReason, invalidMessage, cause, payer, error: invalidReason };
}

/** A refusal as settle answers it. */
export function refusedSettlement(
  cause: Cause,
  request: { payer: string; network: string; agentRequestId: string },
): Settlement {
  const { payer, network, agentRequestId } = request;
  const { error, invalidMessage: errorMessage } = refusalOf(cause, payer);
  const told = { errorReason: error, errorMessage, cause, payer, agentRequestId, error };
  return { success: false, ...told, transaction: "", network };
}

/** Hands a refusal to the activity of both sides, once the authorization is known to be its payer's. */
export function noteExactRefusal(
  { ports }: Context,
  { request, payment, plan, facts, agentId }: Bought,
  cause: Cause,
): void {
  const { requirement, agentRequestId, reserve } = request;
  if (!reserve || cause === "authorization_signature") return;
  const { planId } = plan;
  ports.refusals.note({
    builder: facts.caller.account,
    agentRequestId,
    at: facts.now,
    method: findOffer(requirement, planId, isExactOffer)?.extra?.httpVerb ?? "",
    path: requirement.resource ? pathOf(requirement.resource.url) : "",
    planId,
    agentId,
    payer: payment.payer,
    tokenId: payment.id,
    delegationId: walletDelegation(payment.payer),
    cause,
  });
}

/** An order that is paid or not: the chain, or its node, does not say yet. */
export const isUndecided = ({ status }: OrderRecord): boolean =>
  status === "reserved" || status === "charging";

export const outcomeUnknown = () =>
  new PaymentsError("outcome_unknown", "The capture's outcome is not known yet.", {
    retryAfterSecs: 2,
  });

export const unauthorized = () =>
  new PaymentsError("unauthorized", "The API key is unknown, expired or revoked.");
