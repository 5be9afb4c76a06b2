import type { Context } from "../context.ts";
import type { HoldRow } from "../ledger-rows.ts";
import type { ReadFacts } from "./permission-facts.ts";
import type { PermissionRequest } from "./permission-request.ts";

/** Keeps what a hold was decided on, so that settling it need not read it again. */
export function cacheFacts(
  { ports, keyHash }: Context,
  {
    request,
    row,
    facts,
    expiresAt,
  }: { request: PermissionRequest; row: HoldRow; facts: ReadFacts; expiresAt: Date },
): void {
  if (!keyHash) return;
  const { agentRequestId, jti, amount, orderTx } = row;
  const known = { jti, amount, orderTx, expiresAt } as const;
  const isSame = { isSameCall: true, isSameAttempt: true };
  const hold = { ...known, ...isSame, state: "held", isUsable: true } as const;
  ports.factsCache.set(keyOf(keyHash, agentRequestId), {
    fingerprint: ports.crypto.digest(request.fingerprintText()),
    facts: { ...facts, hold },
  });
}

/**
 * The facts a hold was decided on, once, for the same key and the same body. They may be as old as the hold: a hold
 * keeps its credits whatever happens to the token, and the ledger checks the hold and earlier settlements under its
 * locks. Null sends the caller to the database.
 */
export function takeCachedFacts(
  { ports, keyHash }: Context,
  { agentRequestId }: PermissionRequest,
  fingerprint: string,
): ReadFacts | null {
  if (!keyHash) return null;
  const key = keyOf(keyHash, agentRequestId);
  const known = ports.factsCache.get(key);
  if (!known) return null;
  ports.factsCache.delete(key);
  return known.fingerprint === fingerprint ? known.facts : null;
}

const keyOf = (keyHash: string, agentRequestId: string) => `${keyHash}/${agentRequestId}`;
