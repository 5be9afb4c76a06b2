import type { ActionAnswer } from "../forms/action-answer.ts";
import type { RevokeGrant } from "../wallet/grant-attempt.ts";
import type { PayOutcome } from "./read-pay-answer.ts";
import type { PayWith } from "./use-pay.ts";

/** Pays under a delegation that was made for this payment; revokes it where the plan has changed since. */
export async function payUnder(
  delegationId: string,
  send: (payWith: PayWith) => Promise<ActionAnswer<PayOutcome>>,
  revoke: RevokeGrant,
): Promise<ActionAnswer<PayOutcome>> {
  const paid = await send({ delegationId });
  // It was for a price that is no longer asked: a failure leaves nothing to charge.
  if (paid.ok && "changed" in paid.data) revoke({ delegationId }).catch(() => {});
  return paid;
}
