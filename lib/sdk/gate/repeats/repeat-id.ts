import { signatureOf } from "../../protocol/access-token.ts";
import type { AccessToken } from "../../protocol/access-token-schema.ts";
import { sha256 } from "../../protocol/encoding/sha256.ts";
import { PAYMENT_IDENTIFIER } from "../../protocol/x402-headers.ts";
import type { Unnamed } from "../faults/unnamed.ts";

/** The header by which a client names a request, so that a repeat is not paid twice. */
export const IDEMPOTENCY_KEY_HEADER = "idempotency-key";

/** The id a client gave its request, `null` when it gave none, or what is wrong with it. */
export function readRepeatId(
  header: string | null | undefined,
  { extensions }: AccessToken,
): { id: string | null } | Unnamed {
  const key = header === null || header === undefined ? null : readKey(header);
  if (key === "") return { fault: "key" };
  const extension = extensions?.[PAYMENT_IDENTIFIER];
  const given = extension === undefined ? null : readIdentifier(extension);
  if (given === "") return { fault: "identifier" };
  if (key !== null && given !== null && key !== given) return { fault: "both" };
  return { id: key ?? given };
}

// Quoted as in the IETF's draft, or bare as most clients send it.
function readKey(header: string): string {
  const [, key = ""] = /^("?)([!#-~]{1,255})\1$/.exec(header)?.slice(1) ?? [];
  return key;
}

/** The id of the extension, `null` when it only announces that it has none, else empty. */
function readIdentifier(extension: unknown): string | null {
  const { info } = (extension ?? {}) as { info?: { id?: unknown; required?: unknown } | null };
  if (typeof info !== "object" || info === null) return "";
  if (info.id === undefined) return info.required === true ? "" : null;
  return typeof info.id === "string" && /^[A-Za-z0-9_-]{16,128}$/.test(info.id) ? info.id : "";
}

/** The id of a client's request at the service, the same on every replica, so that the service charges it once. */
export async function deriveRequestId(token: AccessToken, id: string): Promise<string> {
  const name = token.payload.authorization.jti ?? signatureOf(token);
  return `req_${(await sha256(JSON.stringify([name, id]))).slice(0, 48)}`;
}

/**
 * Where a request's answer is kept: found only with the token itself, which its signature proves. A payment by `exact` is
 * public once it is captured, so that its fingerprint has what proves its client.
 */
export const answerKey = (token: AccessToken, id: string): Promise<string> =>
  sha256(JSON.stringify([signatureOf(token), token.payload.authorization, id]));
