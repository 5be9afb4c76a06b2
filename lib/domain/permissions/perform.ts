import { PaymentsError } from "@turnpike/payments/protocol";
import { type AskedApproval, askApproval } from "../budgets/ask-approval.ts";
import type { Context } from "../context.ts";
import type { HoldRow } from "../ledger-rows.ts";
import { findOrderTx, orderForRequest } from "../orders/top-up-order.ts";
import type { Ports } from "../ports.ts";
import { readHolder } from "../tokens/holder.ts";
import type { InspectedToken } from "../tokens/inspect-token.ts";
import { waitReason } from "./budget-fault.ts";
import type { Cause } from "./causes.ts";
import { type Decision, decide, type Intent, type Permission } from "./decide.ts";
import { cacheFacts, takeCachedFacts } from "./facts-cache.ts";
import { LEASE_SECS } from "./lease.ts";
import type { ReadFacts } from "./permission-facts.ts";
import { type PermissionRequest, subjectOf } from "./permission-request.ts";
import { readFacts } from "./read-facts.ts";
import { isRedeemer } from "./redeemer.ts";
import { type Charge, settleCharge } from "./settle-charge.ts";
import type { Settled } from "./settlement.ts";
import { nameableUrl } from "./sign-statement.ts";
import { type Again, untilDone, type Wait } from "./until-done.ts";

/** What became of a paid request, with the facts it was decided on. */
export type Result = { facts: ReadFacts } & (
  | {
      kind: "refused";
      cause: Cause;
      payer: string | null;
      inspected: InspectedToken;
      /** The person's decision it waits for. */
      approval?: AskedApproval;
    }
  | Extract<Decision, { kind: "allow" | "replay" }>
  | { kind: "settled"; settled: Settled; resource: string | null }
);

/**
 * Reads what is known about a request, decides, and does what was decided, until nothing is left to do. Throws what the
 * decision rejects, and `unauthorized` for a key that is not valid.
 */
export function perform(
  context: Context,
  intent: Intent,
  request: PermissionRequest,
): Promise<Result> {
  const { ports } = context;
  const fingerprint = intent === "settle" ? ports.crypto.digest(request.fingerprintText()) : "";
  let orderTx: string | null = null;
  return untilDone<Result>(context, async () => {
    const cached = intent === "settle" ? takeCachedFacts(context, request, fingerprint) : null;
    const { inspected, facts } = cached
      ? { inspected: ports.inspectToken(request.token), facts: cached }
      : await readFacts(context, request);
    const { rails, crypto } = ports;
    const holder = readHolder(inspected, request, crypto.verifyHolder);
    const decision = decide({ intent, request, inspected, holder, facts, rails, fingerprint });
    switch (decision.kind) {
      case "refuse": {
        const approval = await askPerson(ports, decision, request, facts);
        const { cause, payer } = decision;
        return { kind: "refused", cause, payer, facts, inspected, ...(approval && { approval }) };
      }
      case "reject":
        throw rejected(decision);
      case "allow":
      case "replay":
        return { facts, ...decision };
      case "order": {
        const order = await orderForRequest(context, decision.permission, request, facts.caller);
        if (order.outcome === "wait") return waitFor("order", decision.permission, facts);
        if (order.outcome === "refused") {
          const { payer } = decision.permission;
          return { kind: "refused", cause: order.cause, payer, facts, inspected };
        }
        orderTx = order.reference;
        return "again";
      }
      case "reserve":
        return reserve(context, {
          request,
          permission: decision.permission,
          facts,
          orderTx: orderTx ?? (await orderBefore(ports, decision.permission, request, facts)),
        });
      case "settle": {
        const { permission, fromHold } = decision;
        const resource = await resourceOf(context, request, facts);
        const ordered = orderTx ?? (await orderBefore(ports, permission, request, facts));
        const parts = { request, facts, fingerprint, fromHold, orderTx: ordered, resource };
        const charge = chargeOf(permission, parts);
        const settled = await settleCharge(context, charge);
        if (typeof settled === "string") return "again";
        return { kind: "settled", settled, resource, facts };
      }
    }
  });
}

const waitFor = (
  what: Wait["waitFor"],
  { payer, planId }: Permission,
  { caller }: ReadFacts,
): Wait => ({ waitFor: what, balance: `${payer}/${planId}`, builder: caller.account });

/** What an earlier call under the request's id ordered: its hold says so, unless the outcome was not known in time. */
async function orderBefore(
  ports: Ports,
  { payer, jti }: Permission,
  { agentRequestId }: PermissionRequest,
  { hold, hasOrdered, caller }: ReadFacts,
): Promise<string | null> {
  if (hold?.orderTx && hold.jti === jti) return hold.orderTx;
  return hasOrdered ? findOrderTx(ports, payer, { builder: caller.account, agentRequestId }) : null;
}

/** The refusal of what is wrong in itself; a repeat is told what became of its request. */
export function rejected({
  code,
  message,
  detail,
}: Omit<Extract<Decision, { kind: "reject" }>, "kind">): PaymentsError {
  const isAmount = code === "invalid_amount";
  return new PaymentsError(code, message, {
    ...(isAmount && { details: [{ path: "maxAmount", message }] }),
    ...(detail && {
      hint: "Read the request by its id, or use a new id for a new request.",
      details: [{ path: "agentRequestId", message: detail }],
    }),
  });
}

/** Lets the request wait for a person, where a budget asks for one; a payer who only asks about their own token does not. */
async function askPerson(
  ports: Ports,
  { asks }: Extract<Decision, { kind: "refuse" }>,
  request: PermissionRequest,
  facts: ReadFacts,
): Promise<AskedApproval | null> {
  if (!asks || !facts.plan) return null;
  const { permission, order } = asks;
  if (facts.caller.account === permission.payer && !isRedeemer(facts.caller, facts.plan))
    return null;
  return askApproval(ports, {
    account: permission.payer,
    jti: permission.jti,
    delegationId: permission.delegationId,
    subject: subjectOf(request, permission),
    planId: permission.planId,
    builder: facts.plan.owner,
    agentId: permission.agentId,
    reason: waitReason(facts, { credits: permission.amount, order }) ?? "amount",
    maxCents: order?.cents ?? 0n,
    currency: order?.currency ?? null,
    maxCredits: permission.amount,
  });
}

/** The hold of a request, for the time of one renewal. */
export const holdOf = (
  request: PermissionRequest,
  permission: Permission,
  facts: ReadFacts,
): HoldRow => ({
  builder: facts.caller.account,
  agentRequestId: request.agentRequestId,
  attemptId: request.attemptId,
  account: permission.payer,
  planId: permission.planId,
  agentId: permission.agentId,
  jti: permission.jti,
  amount: permission.amount,
  planVersion: permission.termsVersion,
  scheme: permission.rail.scheme,
  ttlMs: LEASE_SECS * 1000,
  subject: subjectOf(request, permission),
  orderTx: null,
});

/** Puts the credits on hold for the request. */
async function reserve(
  context: Context,
  {
    request,
    permission,
    facts,
    orderTx,
  }: {
    request: PermissionRequest;
    permission: Permission;
    facts: ReadFacts;
    orderTx: string | null;
  },
): Promise<Result | Again | Wait> {
  const row = { ...holdOf(request, permission, facts), orderTx };
  const held = await context.ports.ledger.hold(row);
  if (held.outcome === "crowded") return waitFor("crowded", permission, facts);
  if (held.outcome !== "held") return "again";
  const { expiresAt } = held;
  cacheFacts(context, { request, row, facts, expiresAt });
  return { kind: "allow", permission, needsOrder: false, reservedUntil: expiresAt, facts };
}

type ChargeParts = {
  request: PermissionRequest;
  facts: ReadFacts;
  fingerprint: string;
  fromHold: boolean;
  orderTx: string | null;
  resource: string | null;
};

/** The paid URL, where a signed receipt may name it. */
export const resourceOf = (
  { ports }: Context,
  { requirement }: PermissionRequest,
  { caller }: Pick<ReadFacts, "caller">,
): Promise<string | null> => nameableUrl(ports, caller.account, requirement.resource?.url);

const chargeOf = (
  permission: Permission,
  { request, facts, fingerprint, fromHold, orderTx, resource }: ChargeParts,
): Charge => ({
  rail: permission.rail,
  isPaid: permission.isPaid,
  row: {
    builder: facts.caller.account,
    agentRequestId: request.agentRequestId,
    fingerprint,
    account: permission.payer,
    planId: permission.planId,
    agentId: permission.agentId,
    jti: permission.jti,
    delegationId: permission.delegationId,
    amount: permission.amount,
    network: permission.network,
    fromHold,
    orderTx,
    ...(facts.budgets && { subject: subjectOf(request, permission) }),
    resource,
  },
});
