import type { AccessToken, TokenPayload } from "../protocol/access-token-schema.ts";
import type { Verification } from "../protocol/permission.ts";

/** A token's document without its signatures: what it allows, and nothing that can be spent. */
export type TokenClaims = Omit<AccessToken, "signature" | "payload"> & {
  payload: Omit<TokenPayload, "signature">;
};

/** The claims of a token. */
export function claimsOf({ signature: _outer, payload, ...token }: AccessToken): TokenClaims {
  const { signature: _inner, ...claims } = payload;
  return { payload: claims, ...token };
}

/** The payment behind a request, as the work sees it (§3 step 5). */
export type Payment = {
  /** What the token allows; the token itself stays with the gate. */
  token: TokenClaims;
  /** Names the paid request at the service. */
  agentRequestId: string;
  payer: string;
  planId: string;
  agentId: string | undefined;
  /** What settlement will burn. */
  credits: bigint;
  verification: Verification & { isValid: true };
};
