import { type DelegationSummary, PaymentsError } from "@turnpike/payments/protocol";
import { auditNote, invalid } from "../context.ts";
import type { DelegationRecord } from "../records.ts";
import type { Verb } from "../verb.ts";
import { getDelegationRecord, statusOf, summaryOf } from "./delegations.ts";
import { grantOf } from "./owner-signature.ts";

/** The grant the account owner's wallet has to sign. Throws `conflict` when it is signed or expired. */
export const getGrant: Verb<"getGrant"> = async (context, { delegationId }) => {
  const delegation = await getDelegationRecord(context, delegationId);
  const status = statusOf(delegation, await context.ports.clock.now());
  if (status !== "AwaitingSignature") throw notAwaiting(delegation, status);
  return grantOf(context, delegation);
};

/**
 * Activates a delegation once the owner's wallet has signed its grant: this grant, on this deployment. Idempotent.
 * Throws `invalid_input` for any other signature.
 */
export const submitGrantSignature: Verb<"submitGrantSignature"> = async (
  context,
  { delegationId, signature },
) => {
  const { ports } = context;
  const delegation = await getDelegationRecord(context, delegationId);
  const status = statusOf(delegation, await ports.clock.now());
  if (status !== "AwaitingSignature") {
    const hasBegun = delegation.grantToken && !delegation.signBefore && status !== "Revoked";
    if (hasBegun) return summaryOf(context, delegation);
    throw notAwaiting(delegation, status);
  }
  if (!(await ports.ownerGrants?.accept(delegation, signature))) {
    throw invalid("signature", "This is not the account owner's signature of this grant.");
  }
  const note = auditNote(context, "delegation.sign", delegationId);
  const hasBegun = await ports.delegations.activate(delegationId, note);
  const after = await getDelegationRecord(context, delegationId);
  // Revoked, expired or activated by another request while the signature was checked.
  if (hasBegun || (!after.signBefore && !after.revokedAt)) return summaryOf(context, after);
  throw notAwaiting(after, statusOf(after, await ports.clock.now()));
};

const notAwaiting = ({ grantToken }: DelegationRecord, status: DelegationSummary["status"]) => {
  if (!grantToken) return new PaymentsError("conflict", "This delegation needs no signature.");
  const word = status === "Active" || status === "Exhausted" ? "signed" : status.toLowerCase();
  return new PaymentsError("conflict", `This delegation is ${word}; there is nothing to sign.`);
};
