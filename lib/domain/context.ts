import { type KeyRights, PaymentsError } from "@turnpike/payments/protocol";
import type { Ports } from "./ports.ts";
import type { AuditNote } from "./records.ts";

/**
 * Who calls: someone signed in, who may do everything their account may, or one of the account's API keys, with its
 * rights. `provenAt` is when the person last proved who they are.
 */
export type Caller = { account: string; isOperator: boolean } & (
  | { keyId: null; provenAt?: Date }
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
};

/** The caller, or `unauthorized`. */
export function requireCaller({ caller }: Context): Caller {
  if (caller) return caller;
  throw new PaymentsError("unauthorized", "This operation needs an API key.");
}

/** A note for the audit trail about what the caller does to `subject`. */
export function auditNote(context: Context, action: string, subject: string): AuditNote {
  const { account, keyId } = requireCaller(context);
  return { account, keyId, action, subject, requestId: context.requestId };
}

/** Refuses a member of the input. */
export const invalid = (path: string, message: string): PaymentsError =>
  new PaymentsError("invalid_input", message, { details: [{ path, message }] });

/** What exists for others does not exist for you: one answer for both. */
export const notFound = (what: string, id: string): PaymentsError =>
  new PaymentsError("not_found", `There is no ${what} ${JSON.stringify(id)} of yours.`);
