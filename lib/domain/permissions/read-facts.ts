import { PaymentsError } from "@turnpike/payments/protocol";
import { requireUsable } from "../accounts/stopped.ts";
import type { Caller, Context } from "../context.ts";
import type { InspectedToken } from "../tokens/inspect-token.ts";
import type { PermissionFacts, ReadFacts } from "./permission-facts.ts";
import {
  agentIdOf,
  findSignedOffer,
  type PermissionRequest,
  subjectOf,
} from "./permission-request.ts";

/**
 * Inspects the token, then reads all that the decision needs in one round, the caller's key included. A token with a
 * broken signature is not looked up. Throws `unauthorized` for an unknown, expired or revoked key, `forbidden` for one of a
 * stopped account.
 */
export async function readFacts(
  { ports, keyHash, caller }: Context,
  request: PermissionRequest,
): Promise<{ inspected: InspectedToken; facts: ReadFacts }> {
  if (!keyHash && !caller) {
    throw new PaymentsError("unauthorized", "This operation needs an API key.");
  }
  const inspected = ports.inspectToken(request.token);
  const { authorization, sessionKey } = inspected.isSound ? inspected.token.payload : NO_PAYLOAD;
  const offer = inspected.isSound
    ? findSignedOffer(request.requirement, inspected.token, ports.rails)
    : undefined;
  const agentId = agentIdOf(offer) || authorization?.agentId || null;
  const read = await ports.ledger.readFacts({
    keyHash: keyHash ?? "",
    jti: inspected.isSound ? inspected.jti : null,
    planId: authorization?.planId ?? null,
    agentId,
    agentRequestId: request.agentRequestId,
    attemptId: request.attemptId,
    subject: subjectOf(request, {
      planId: authorization?.planId ?? "",
      scheme: offer?.scheme ?? "",
      agentId,
    }),
    // A bound token's requests are each signed for the credits of their offer.
    signedVersion: authorization?.cnf ? undefined : sessionKey?.limits.order?.planVersion,
  });
  const asking = keyHash || !caller ? read.caller : signedIn(caller);
  return { inspected, facts: { ...read, caller: requireUsable(asking) } };
}

const NO_PAYLOAD = { authorization: undefined, sessionKey: undefined };

/** A signed-in caller has no key; the session was checked when the request arrived. */
const signedIn = ({ account, isOperator }: Caller): PermissionFacts["caller"] => ({
  account,
  isUsable: true,
  isOperator,
});
