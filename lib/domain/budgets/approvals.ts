import { type Approval, type ParsedInputOf, PaymentsError } from "@turnpike/payments/protocol";
import { auditNote, type Context, notFound, requireCaller } from "../context.ts";
import { pageAnswer } from "../page-answer.ts";
import type { Verb } from "../verb.ts";
import { approvalCurrency } from "./approval-currency.ts";
import type { ApprovalView } from "./budget-ports.ts";
import { callText } from "./call-text.ts";

/** Requests of the caller's account that wait for a person or were decided, newest first. */
export const listApprovals: Verb<"listApprovals"> = async (context, query) => {
  const { account } = requireCaller(context);
  const page = await context.ports.approvals.list(account, query);
  return pageAnswer(
    { ...page, items: page.items.map((record) => approvalOf(context, record)) },
    query,
  );
};

/** One request of the caller's account. */
export const getApproval: Verb<"getApproval"> = async (context, { approvalId }) => {
  return approvalOf(context, await find(context, approvalId));
};

/** Lets a request pass once, up to its maximum. Throws `conflict` when it is decided or expired. */
export const approveRequest = (
  context: Context,
  input: ParsedInputOf<"approveRequest">,
): Promise<Approval> => decide(context, "approved", input);

/** Declines a request. Throws `conflict` when it is decided or expired. */
export const declineRequest = (
  context: Context,
  input: ParsedInputOf<"declineRequest">,
): Promise<Approval> => decide(context, "declined", input);

async function decide(
  context: Context,
  state: "approved" | "declined",
  { approvalId, secret }: ParsedInputOf<"approveRequest">,
): Promise<Approval> {
  const { account, keyId } = requireCaller(context);
  const { approvals, crypto } = context.ports;
  const secretHash = secret === undefined ? null : crypto.digest(secret);
  const note = auditNote(context, `approval.${state}`, approvalId);
  const isDecided = await approvals.decide({ approvalId, account, state, secretHash, keyId }, note);
  const approval = await find(context, approvalId);
  if (isDecided) return approvalOf(context, approval);
  const found = approval.state;
  if (found === "pending") {
    throw new PaymentsError("conflict", "This link doesn't belong to this request.", {
      hint: "Open the latest notification, or decide under Approvals.",
    });
  }
  const what = found === "expired" ? "has expired" : `was already ${verbOf(approval)}`;
  throw new PaymentsError("conflict", `The request ${what}. Nothing was changed.`);
}

const verbOf = ({ state }: ApprovalView) => (state === "used" ? "approved" : state);

async function find(context: Context, approvalId: string): Promise<ApprovalView> {
  const { account } = requireCaller(context);
  const approval = await context.ports.approvals.find(account, approvalId);
  if (!approval) throw notFound("approval", approvalId);
  return approval;
}

const KEY = "key:";

function approvalOf({ ports }: Context, record: ApprovalView): Approval {
  const currency = approvalCurrency(ports, record);
  return {
    approvalId: record.approvalId,
    status: record.state,
    reason: record.reason,
    planId: record.planId,
    planName: record.planName,
    builder: record.builder,
    ...(record.agentId && { agentId: record.agentId }),
    call: record.jti.startsWith(KEY) ? "" : callText(record.subject),
    ...(!record.jti.startsWith(KEY) && { tokenId: record.jti }),
    ...(record.delegationId && { delegationId: record.delegationId }),
    maxCents: record.maxCents.toString(),
    ...(currency && { currency }),
    maxCredits: record.maxCredits.toString(),
    history: record.history,
    createdAt: record.createdAt.toISOString(),
    expiresAt: record.expiresAt.toISOString(),
    ...(record.decidedAt && { decidedAt: record.decidedAt.toISOString() }),
    ...(record.decidedBy && { decidedBy: record.decidedBy }),
    ...(record.decidedKey && { decidedKey: record.decidedKey }),
  };
}
