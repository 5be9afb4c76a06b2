import { type KeyRights, PaymentsError } from "@turnpike/payments/protocol";
import { changedMembers } from "./changed-members.ts";
import type { Ports } from "./ports.ts";
import type { AuditNote } from "./records.ts";

/**
 * Who calls: someone signed in, who may do everything their account may, or one of the account's API keys, with its
 * rights. `provenMsAgo` is how long ago the person proved who they are.
 */
export type Caller = { account: string; isOperator: boolean } & (
  | { keyId: null; provenMsAgo?: number }
  | { keyId: string; rights: KeyRights; expiresAt: Date }
);

/**
 * What every verb gets beside its input. `caller` is null for a public call. `keyHash` is set when the
 * caller is still to be read: the hot path reads it together with everything else.
 */
export type Context = {
  ports: Ports;
  caller: Caller | null;
  keyHash: string | null;
  requestId: string;
  /** Where the call came from, as limits count addresses. Absent for the service's own work. */
  address?: string | undefined;
};

/** What the service or an operator does for an account, as someone signed in to it would. */
export const actingFor = (
  ports: Ports,
  account: string,
  requestId: string,
  isOperator = false,
): Context => ({ ports, caller: { account, keyId: null, isOperator }, keyHash: null, requestId });

/** The caller, or `unauthorized`. */
export function requireCaller({ caller }: Context): Caller {
  if (caller) return caller;
  throw new PaymentsError("unauthorized", "This operation needs an API key.");
}

/** A note for the audit trail about what the caller does to `subject`, and what that changes of it. */
export function auditNote(
  context: Context,
  action: string,
  subject: string,
  change?: { from: object; to: object },
): AuditNote {
  const { account, keyId } = requireCaller(context);
  const { requestId, address } = context;
  return {
    account,
    keyId,
    action,
    subject,
    requestId,
    ...(address && address !== "unknown" && { address }),
    ...(change && changedMembers(change.from, change.to)),
  };
}

/** Refuses a member of the input. */
export const invalid = (path: string, message: string, hint?: string): PaymentsError =>
  new PaymentsError("invalid_input", message, { hint, details: [{ path, message }] });

/** What exists for others does not exist for you: one answer for both. */
export const notFound = (what: string, id: string): PaymentsError =>
  new PaymentsError("not_found", `You have no ${what} ${JSON.stringify(id)}.`);
