import {
  type Dispute,
  type DisputeDetails,
  type ParsedInputOf,
  PaymentsError,
} from "@turnpike/payments/protocol";
import { auditNote, type Context, notFound, requireCaller } from "../context.ts";
import type { OrderFailure } from "../orders/order-ports.ts";
import { refreshOrder } from "../orders/resolve-orders.ts";
import { pageAnswer } from "../page-answer.ts";
import type { DisputeRecord } from "./dispute-ports.ts";
import { composeEvidence, EVIDENCE_TITLES, MOST_CALLS } from "./evidence.ts";

export async function listDisputes(context: Context, query: ParsedInputOf<"listDisputes">) {
  const { account } = requireCaller(context);
  const page = await context.ports.disputes.list(account, query);
  return pageAnswer({ ...page, items: page.items.map(disputeAnswer) }, query);
}

/** A chargeback of the caller's, with the evidence that was sent or would be now. */
export async function getDispute(
  context: Context,
  { disputeId }: ParsedInputOf<"getDispute">,
): Promise<DisputeDetails> {
  const dispute = await findOwn(context, disputeId);
  return detailsOf(dispute, dispute.evidence ?? (await compose(context, dispute)));
}

/**
 * Sends the evidence to the bank, once. It is written before it is sent, so that a repeat after a lost answer sends the
 * same; whether that arrived, the processor knows. Where it did not, another summary replaces it.
 */
export async function submitEvidence(
  context: Context,
  { disputeId, summary }: ParsedInputOf<"submitEvidence">,
): Promise<DisputeDetails> {
  const { ports } = context;
  const dispute = await findOwn(context, disputeId);
  const rail = ports.rails.find(dispute.order.scheme);
  if (dispute.evidence && dispute.submittedAt) return detailsOf(dispute, dispute.evidence);
  if (!dispute.evidence) {
    if (dispute.status !== "needs_response") throw closed(dispute);
    const now = await ports.clock.now();
    if (dispute.respondBy && dispute.respondBy <= now) throw conflict("The deadline has passed.");
  }
  if (!rail?.submitEvidence) throw new PaymentsError("rail_unavailable", "Cards are unavailable.");
  const known = dispute.evidence?.uncategorized_text;
  if (known !== undefined && summary && summary !== known) {
    await refreshOrder(ports, dispute.order.orderId);
    const now = await findOwn(context, disputeId);
    if (now.status === "needs_response") await ports.disputes.dropEvidence(disputeId);
  }
  const composed = await compose(context, dispute);
  const evidence = await ports.disputes.keepEvidence(
    disputeId,
    { ...composed, ...(summary && { uncategorized_text: summary }) },
    auditNote(context, "dispute.evidence", disputeId),
  );
  const refusal = await rail.submitEvidence(disputeId, evidence).catch((cause: unknown) => {
    ports.log.warn({ disputeId, cause: String(cause) }, "evidence could not be sent");
    throw new PaymentsError(
      "outcome_unknown",
      "It is not known whether the bank has the evidence. Send it again: it counts once.",
    );
  });
  if (refusal) {
    ports.log.warn({ disputeId, ...refusal }, "evidence refused");
    await ports.disputes.dropEvidence(disputeId);
  } else await ports.disputes.markSubmitted(disputeId, evidence);
  await refreshOrder(ports, dispute.order.orderId).catch((cause: unknown) =>
    ports.log.warn({ disputeId, cause: String(cause) }, "dispute could not be looked at"),
  );
  const sent = await findOwn(context, disputeId);
  if (refusal) throw refused(sent, refusal);
  return detailsOf(sent, evidence);
}

async function findOwn(context: Context, disputeId: string): Promise<DisputeRecord> {
  const dispute = await context.ports.disputes.find(disputeId);
  if (dispute && dispute.owner === requireCaller(context).account) return dispute;
  throw notFound("dispute", disputeId);
}

const compose = async ({ ports }: Context, dispute: DisputeRecord) =>
  composeEvidence(dispute, await ports.disputes.readFacts(dispute.order, MOST_CALLS), ports.origin);

const detailsOf = (dispute: DisputeRecord, evidence: Record<string, string>): DisputeDetails => ({
  ...disputeAnswer(dispute),
  evidence: Object.entries(EVIDENCE_TITLES).map(([name, title]) => ({
    name,
    title,
    text: evidence[name] ?? "",
  })),
});

const disputeAnswer = (row: DisputeRecord): Dispute => ({
  disputeId: row.disputeId,
  orderId: row.order.orderId,
  planId: row.order.planId,
  planName: row.planName,
  subscriber: row.order.account,
  amount: row.amount.toString(),
  currency: row.order.currency,
  reason: row.reason,
  status: row.status,
  ...(row.respondBy && { respondBy: row.respondBy.toISOString() }),
  ...(row.submittedAt && { submittedAt: row.submittedAt.toISOString() }),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

const STATES = {
  needs_response: "open",
  under_review: "under review",
  won: "won",
  lost: "lost",
} as const;

const conflict = (message: string): PaymentsError =>
  new PaymentsError("conflict", message, { details: [{ path: "dispute", message: "closed" }] });

const closed = ({ status }: DisputeRecord): PaymentsError =>
  conflict(`The bank doesn’t accept evidence for this dispute: it is ${STATES[status]}.`);

/** What the dispute has become says more than the processor's words. */
const refused = (dispute: DisputeRecord, { message }: OrderFailure): PaymentsError =>
  dispute.status !== "needs_response"
    ? closed(dispute)
    : new PaymentsError("conflict", `The card processor refused the evidence: ${message}`, {
        hint: "Nothing was sent. Check the dispute’s deadline, fix the cause, and send it again.",
        details: [{ path: "dispute", message: "refused" }],
      });
