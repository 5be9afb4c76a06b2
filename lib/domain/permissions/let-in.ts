import type { Context } from "../context.ts";
import type { HoldRow } from "../ledger-rows.ts";
import type { PermissionFacts } from "./permission-facts.ts";
import type { PermissionRequest } from "./permission-request.ts";

/** A request whose credits were set aside, with what was read to decide it. */
export type LetIn = { fingerprintText: string; facts: PermissionFacts };

/** Requests let in by this process and not settled yet: a bounded number, the oldest forgotten first. */
export type LetInRequests = {
  set(key: string, letIn: LetIn): void;
  get(key: string): LetIn | undefined;
  delete(key: string): void;
};

/** Remembers what a hold was decided on, so that settling it need not read it again. */
export function rememberLetIn(
  { ports, keyHash }: Context,
  { fingerprintText }: PermissionRequest,
  { agentRequestId, account, planId, jti, amount }: HoldRow,
  read: PermissionFacts,
  expiresAt: Date,
): void {
  if (!keyHash) return;
  const hold = { account, planId, jti, amount, expiresAt, state: "held", isUsable: true } as const;
  ports.letIn.set(keyOf(keyHash, agentRequestId), { fingerprintText, facts: { ...read, hold } });
}

/**
 * The facts a request was let in on, once, for the same key and the same body. They may be as old as a hold, which is
 * no matter: a hold keeps its credits whatever becomes of the token, and the ledger looks at the hold and at earlier
 * settlements under its locks. Null sends the caller to the database.
 */
export function takeLetIn(
  { ports, keyHash }: Context,
  { fingerprintText }: PermissionRequest,
  agentRequestId: string,
): PermissionFacts | null {
  if (!keyHash) return null;
  const key = keyOf(keyHash, agentRequestId);
  const known = ports.letIn.get(key);
  if (!known) return null;
  ports.letIn.delete(key);
  return known.fingerprintText === fingerprintText ? known.facts : null;
}

const keyOf = (keyHash: string, agentRequestId: string) => `${keyHash}/${agentRequestId}`;
