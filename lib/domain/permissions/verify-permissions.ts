import { type ParsedInputOf, PaymentsError, type Verification } from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import type { HoldRow } from "../ledger-rows.ts";
import { checkPermission, type Permission, type Refusal } from "./check-permission.ts";
import { cacheFacts } from "./facts-cache.ts";
import { LEASE_SECS } from "./lease.ts";
import type { ReadFacts } from "./permission-facts.ts";
import {
  networkOfOffer,
  type PermissionRequest,
  readPermissionRequest,
} from "./permission-request.ts";
import { readFacts } from "./read-facts.ts";
import { orderForRequest } from "./top-up-order.ts";

const MAX_ATTEMPTS = 4;
/** Ten seconds of waiting for another request's top-up. */
export const MAX_WAITS = 200;

/**
 * Checks a token for a request (§4.1) and burns nothing. With `reserve` the credits are put on hold, so that settling
 * cannot fail with insufficient credits; a repeat with the same `agentRequestId` finds its hold.
 */
export async function verifyPermissions(
  context: Context,
  input: ParsedInputOf<"verifyPermissions">,
): Promise<Verification> {
  const request = readPermissionRequest(input);
  const agentRequestId = request.agentRequestId ?? context.ports.crypto.randomId();
  for (let attempt = 1, waits = 0; attempt <= MAX_ATTEMPTS && waits <= MAX_WAITS; ) {
    const { inspected, facts } = await readFacts(context, request, agentRequestId);
    const permission = checkPermission({
      ports: context.ports,
      request,
      inspected,
      facts,
      asRedeemer: request.reserve,
    });
    if (!permission.isAllowed) return refused(permission, facts);
    if (!request.reserve) return allowed(permission, agentRequestId);
    if (facts.settlement) throw alreadyUsed(agentRequestId);
    const reservedUntil = await reserve(context, request, permission, agentRequestId, facts);
    if (reservedUntil === "refused") {
      return refused(
        {
          isAllowed: false,
          reason: "insufficient_balance",
          detail: "order_refused",
          payer: permission.payer,
        },
        facts,
      );
    }
    if (reservedUntil === "wait") waits += 1;
    else if (reservedUntil === "again") attempt += 1;
    else return allowed({ ...permission, needsOrder: false }, agentRequestId, reservedUntil);
  }
  throw new PaymentsError("unavailable", "The balance keeps changing; retry.", {
    retryAfterSecs: 1,
  });
}

/** Puts the credits on hold until the instant it returns, or asks to read again. */
async function reserve(
  context: Context,
  request: PermissionRequest,
  permission: Permission,
  agentRequestId: string,
  facts: ReadFacts,
): Promise<Date | "again" | "wait" | "refused"> {
  const { hold, caller } = facts;
  if (hold) {
    if (hold.isUsable && hold.jti === permission.jti && hold.amount === permission.amount)
      return hold.expiresAt;
    throw alreadyUsed(agentRequestId);
  }
  if (permission.needsOrder) {
    const builder = caller.account;
    const order = await orderForRequest(context, permission, { builder, agentRequestId });
    if (order.outcome === "again") return "wait";
    if (order.outcome === "refused") return "refused";
  }
  const row: HoldRow = {
    builder: caller.account,
    agentRequestId,
    account: permission.payer,
    planId: permission.planId,
    agentId: permission.agentId,
    jti: permission.jti,
    amount: permission.amount,
    scheme: permission.rail.scheme,
    ttlMs: LEASE_SECS * 1000,
  };
  const outcome = await context.ports.ledger.hold(row);
  if (outcome.outcome === "held") {
    cacheFacts(context, { request, row, facts, expiresAt: outcome.expiresAt });
    return outcome.expiresAt;
  }
  // Under contention a request may lose many times in a row; keep waiting.
  return outcome.outcome === "insufficient" ? "wait" : "again";
}

const alreadyUsed = (agentRequestId: string) =>
  new PaymentsError(
    "idempotency_conflict",
    `The request id ${JSON.stringify(agentRequestId)} was used for another request.`,
  );

function allowed(
  permission: Permission,
  agentRequestId: string,
  reservedUntil?: Date,
): Verification {
  const { payer, planId, agentId, offer, amount, balance, needsOrder } = permission;
  return {
    isValid: true,
    payer,
    agentRequestId,
    scheme: offer.scheme,
    network: networkOfOffer(offer, permission.rail.network),
    planId,
    ...(agentId && { agentId }),
    credits: amount.toString(),
    balance: balance.toString(),
    ...(reservedUntil && { reservedUntil: reservedUntil.toISOString() }),
    ...(needsOrder && { needsOrder }),
    subscriberAddress: payer,
  };
}

/** A refusal; its finer detail only for the plan's owner. */
function refused({ reason, detail, payer }: Refusal, facts: ReadFacts): Verification {
  const isOwner = facts.plan !== null && facts.plan.owner === facts.caller.account;
  return {
    isValid: false,
    invalidReason: reason,
    invalidMessage: REASON_TEXT[reason],
    ...(isOwner && { detail }),
    ...(isOwner && payer && { payer }),
    error: reason,
  };
}

/** What a refusal tells a person; the same for every cause behind a code. */
export const REASON_TEXT = {
  invalid_token: "The access token is not valid. Generate a new one.",
  expired_token: "The access token has expired. Generate a new one.",
  insufficient_balance: "There are not enough credits, or a limit is used up. Order more credits.",
  invalid_plan: "The access token is for another plan. Use one for a plan the agent offers.",
  invalid_agent: "The access token is for another agent or endpoint.",
} as const;
