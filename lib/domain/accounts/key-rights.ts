import {
  KEY_PRESETS,
  type KeyRights,
  PaymentsError,
  rightsBeyond,
} from "@turnpike/payments/protocol";
import type { Caller } from "../context.ts";
import type { ApiKeyRecord } from "../records.ts";

/** What a key may do. It never changes: a key with other rights is another key. */
export const rightsOfKey = ({
  preset,
  scopes,
}: Pick<ApiKeyRecord, "preset" | "scopes">): KeyRights =>
  preset === "custom" ? (scopes ?? {}) : KEY_PRESETS[preset];

/** Throws `forbidden` when a key reaches for rights that it does not have itself. */
export function requireWithinOwn(caller: Caller, wanted: KeyRights, doing: string): void {
  if (caller.keyId === null) return;
  const beyond = rightsBeyond(wanted, caller.rights);
  if (beyond.length === 0) return;
  throw new PaymentsError(
    "forbidden",
    `This API key can't ${doing} that has scopes it lacks: ${beyond.join(", ")}.`,
    { hint: "Use a key that has these scopes, or do it under API keys in the dashboard." },
  );
}

/** When a new key expires. Throws `forbidden` when a key asks for one that outlives it. */
export function newExpiry(caller: Caller, asked: Date | null, usual: Date): Date {
  if (caller.keyId === null || (asked ?? usual) <= caller.expiresAt) return asked ?? usual;
  if (!asked) return caller.expiresAt;
  throw new PaymentsError(
    "forbidden",
    `This API key can't create one that outlives it; it expires at ${caller.expiresAt.toISOString()}.`,
    { hint: "Choose a shorter duration, or create the key under API keys in the dashboard." },
  );
}
