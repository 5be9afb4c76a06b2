import type { OutputOf } from "@turnpike/payments/protocol";
import { notFound, requireCaller } from "../context.ts";
import { readExact } from "../exact/read-exact.ts";
import { readHolder } from "../tokens/holder.ts";
import type { Verb } from "../verb.ts";
import { decide, type Permission } from "./decide.ts";
import { LEASE_CAP_SECS, LEASE_SECS, MAX_LEASE_SECS } from "./lease.ts";
import { holdOf } from "./perform.ts";
import { liveCredits, type ReadFacts } from "./permission-facts.ts";
import { readPermissionRequest } from "./permission-request.ts";
import { readFacts } from "./read-facts.ts";
import { allowed } from "./verify-permissions.ts";

type Lease = OutputOf<"leasePermissions">;

const NONE: Lease = { requests: 0, seconds: 0 };
/** What a lease leaves of credits and redemptions, as a divisor, so that calls beside it still find some. */
const SHARE = 4n;

/**
 * Reserves the credits of several requests like this one (docs/adr/0119-leases.md), which the caller may then decide
 * alone for some seconds. No lease is the answer where verify would refuse, where the token allows none or is bound to a
 * key, and where a person or an order may be needed first: verify decides about the next request as ever. It orders and
 * asks nothing.
 */
export const leasePermissions: Verb<"leasePermissions"> = async (
  context,
  { requests, seconds, ...input },
) => {
  const { ports } = context;
  const { crypto, ledger, rails } = ports;
  const leaseId = `lse_${crypto.randomId()}`;
  const request = { ...readPermissionRequest(crypto, input), agentRequestId: leaseId };
  if (readExact(request.token, request.requirement, crypto.digest)) return NONE;
  const { inspected, facts } = await readFacts(context, request);
  const holder = readHolder(inspected, request, crypto.verifyHolder);
  // Signed requests are charged once per nonce, which is read from each of them at verify.
  if (holder !== "bearer") return NONE;
  const question = { intent: "reserve", request, inspected, holder, facts, rails } as const;
  const decision = decide({ ...question, fingerprint: "" });
  if (decision.kind !== "reserve") return NONE;
  const { permission } = decision;
  const lease = { requests: sizeOf(facts, permission, requests), seconds: lifeOf(facts, seconds) };
  if (lease.requests < 1 || lease.seconds < 1 || permission.proofRequired) return NONE;
  const held = await ledger.hold({
    ...holdOf(request, permission, facts),
    amount: permission.amount * BigInt(lease.requests),
    requests: lease.requests,
    ttlMs: (lease.seconds + LEASE_SECS) * 1000,
  });
  if (held.outcome !== "held") return NONE;
  const verification = allowed({ permission, needsOrder: false }, leaseId);
  return { ...lease, leaseId, verification };
};

/** How many requests: at most a share of what is left, and what every budget leaves; none where a person may be asked. */
function sizeOf(facts: ReadFacts, { amount }: Permission, asked: number): number {
  const { balance, budgets, token } = facts;
  const asks = budgets?.asks;
  if (asks && (asks.reason ?? asks.above ?? asks.aboveCredits) !== null) return 0;
  const credits = [liveCredits(balance) / SHARE];
  for (const { unit, left } of budgets?.room ?? [])
    if (unit === "credits") credits.push(left ?? 0n);
  const funded = amount === 0n ? [] : credits.map((left) => left / amount);
  const limits = [BigInt(asked), (token?.redemptionsLeft ?? 0n) / SHARE, ...funded];
  return Number(limits.reduce((least, limit) => (limit < least ? limit : least)));
}

/** For how long, in whole seconds: no longer than the token allows, nor than it and its delegation live. */
function lifeOf({ now, token, delegation }: ReadFacts, asked: number): number {
  const ends = [token, delegation].map((it) => (it?.expiresAt.getTime() ?? 0) - now.getTime());
  const left = Math.floor(Math.min(...ends) / 1000);
  return Math.min(asked, token?.leaseSecs ?? 0, MAX_LEASE_SECS, left);
}

/**
 * Renews the reservations of the caller's requests that are still under way. A revoked or expired token changes nothing:
 * the work began while it was valid.
 */
export const renewPermissions: Verb<"renewPermissions"> = async (context, { agentRequestIds }) => {
  const { account } = requireCaller(context);
  const lease = { leaseSecs: LEASE_SECS, capSecs: LEASE_CAP_SECS };
  const holds = await context.ports.ledger.renew(account, agentRequestIds, lease);
  const items = holds.map(({ agentRequestId, state, expiresAt }) => ({
    agentRequestId,
    state,
    ...(expiresAt && { reservedUntil: expiresAt.toISOString() }),
  }));
  return { items };
};

/** Gives back the credits on hold for a request that was not delivered. A repeat gives back nothing more. */
export const releasePermissions: Verb<"releasePermissions"> = async (
  context,
  { agentRequestId },
) => {
  const { account } = requireCaller(context);
  const released = await context.ports.ledger.release(account, agentRequestId);
  if (released === null) throw notFound("held request", agentRequestId);
  return { success: true, released: released.toString() } as const;
};
