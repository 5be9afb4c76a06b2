import { type InvalidReason, pathOf } from "@turnpike/payments/protocol";
import type { AskedApproval } from "../budgets/ask-approval.ts";
import type { Context } from "../context.ts";
import { type Cause, payerTextOf, reasonOf, reasonText } from "./causes.ts";
import type { Result } from "./perform.ts";
import type { ReadFacts } from "./permission-facts.ts";
import { findOffer, type PermissionRequest } from "./permission-request.ts";
import { isRedeemer } from "./redeemer.ts";

type Refused = {
  cause: Cause;
  payer: string | null;
  facts: ReadFacts;
  approval?: AskedApproval;
};

/** A refusal as its caller may see it. */
type Described = {
  reason: InvalidReason;
  message: string;
  cause?: string;
  detail?: string;
  payer?: string;
  approval?: AskedApproval;
};

/**
 * What a refusal says, by who asks. What concerns the payer goes to the payer and to those who may redeem the plan, and
 * they may pass it on; what concerns the builder's setup goes to the plan's owner alone. Anyone else learns only the reason, so
 * that verify tells a stranger nothing about a token.
 */
export function describeRefusal({ cause, payer, facts, approval }: Refused): Described {
  const { plan, caller } = facts;
  const reason = reasonOf(cause);
  const isOwner = plan !== null && plan.owner === caller.account;
  const isConcerned =
    isOwner || caller.account === payer || (plan !== null && isRedeemer(caller, plan));
  const payerText = isConcerned ? payerTextOf(cause) : undefined;
  return {
    reason,
    message: payerText ?? reasonText(reason),
    ...(payerText && { cause }),
    ...(isConcerned && approval && { approval }),
    ...(isOwner && { detail: cause }),
    ...(isOwner && payer && { payer }),
  };
}

/**
 * Hands the refusal of a proven token, asked about by who may redeem the plan, to the activity of both sides; returns at
 * once. A payer who only asks about their own token makes no attempt.
 */
export function noteRefusal(
  { ports }: Context,
  { requirement, agentRequestId, reserve }: PermissionRequest,
  { cause, payer, facts, inspected }: Extract<Result, { kind: "refused" }>,
): void {
  const { plan, agent, caller, now } = facts;
  if (!payer || !plan || !inspected.isSound || !isRedeemer(caller, plan)) return;
  if (caller.account === payer && !reserve) return;
  const { planId, agentId, delegationId = "" } = inspected.token.payload.authorization;
  const extra = findOffer(requirement, planId, () => true)?.extra;
  ports.refusals.note({
    builder: caller.account,
    agentRequestId,
    at: now,
    method: extra?.httpVerb ?? "",
    path: requirement.resource ? pathOf(requirement.resource.url) : "",
    planId,
    agentId: agent?.owner === plan.owner ? (extra?.agentId ?? agentId ?? null) : null,
    payer,
    tokenId: inspected.jti,
    delegationId,
    cause,
  });
}
