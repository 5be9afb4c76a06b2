import {
  type AccessToken,
  MAX_UINT256,
  type TokenAuthorization,
  Uint256,
} from "@turnpike/payments/protocol";
import type { HolderState } from "../tokens/holder.ts";
import type { Cause } from "./causes.ts";
import type { PermissionFacts } from "./permission-facts.ts";

/** The most credits of one request that the holder of a bound token agreed to: those of the offer it answers. */
export function signedAmount({ accepted }: AccessToken): bigint {
  if (accepted?.amount === undefined) return MAX_UINT256;
  return Uint256.safeParse(accepted.amount).data ?? 0n;
}

export type ProvenFacts = PermissionFacts & {
  token: NonNullable<PermissionFacts["token"]>;
  delegation: NonNullable<PermissionFacts["delegation"]>;
};

/** Why the token is not one of ours, or null. */
export function findTokenFault(
  authorization: TokenAuthorization,
  signer: string,
  { token, delegation }: PermissionFacts,
): Cause | null {
  if (!token || !delegation) return "unknown_token";
  if (delegation.sessionKeyAddress !== signer) return "other_session_key";
  const isItsRecord = token.account === authorization.from && token.planId === authorization.planId;
  return isItsRecord ? null : "unknown_token";
}

/** Why token and delegation are not alive, or null. */
export function findLifeFault(
  token: ProvenFacts["token"],
  delegation: ProvenFacts["delegation"],
  now: Date,
): Cause | null {
  if (token.isRevoked) return "token_revoked";
  if (delegation.isRevoked) return "delegation_revoked";
  if (now >= token.expiresAt) return "token_expired";
  return now >= delegation.expiresAt ? "delegation_expired" : null;
}

/** Why the request is not one that the token's holder made, or null. */
export function findProofFault(holder: HolderState): Cause | null {
  if (holder === "unsigned") return "not_signed";
  return holder === "mismatch" ? "key_mismatch" : null;
}
