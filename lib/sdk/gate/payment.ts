import type { AccessToken } from "../protocol/access-token-schema.ts";
import type { Verification } from "../protocol/permission.ts";

/** The payment behind a request, as the work sees it (§3 step 5). */
export type Payment = {
  /** The token's document; the token itself stays with the gate. */
  token: AccessToken;
  /** Names the paid request at the service. */
  agentRequestId: string;
  payer: string;
  planId: string;
  agentId: string | undefined;
  /** What settlement will burn. */
  credits: bigint;
  verification: Verification & { isValid: true };
};
