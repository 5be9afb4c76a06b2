import type { AccessToken, TokenDetails } from "@turnpike/payments/protocol";
import { MINUTE_SECS } from "@/lib/text/durations.ts";
import { ANY_AGENT } from "./mint-values.ts";

type Options = {
  planId: string;
  agentId: string | undefined;
  delegationId: string | undefined;
  calls: number;
  /** 0 for a token that expires with its delegation. */
  lifeSecs: number;
};

function mintHref({ planId, agentId, delegationId, calls, lifeSecs }: Options): string {
  // Minting takes a moment, so a token's seconds differ a little from the duration that was chosen.
  const life = Math.round(lifeSecs / MINUTE_SECS) * MINUTE_SECS;
  const query = new URLSearchParams({ plan: planId, agent: agentId ?? ANY_AGENT });
  if (delegationId) query.set("delegation", delegationId);
  query.set("calls", String(calls));
  if (life > 0) query.set("life", String(life));
  return `/tokens/new?${query}`;
}

/** The form with the options of a token of this account. */
export function mintAgainHref(token: TokenDetails): string {
  const { planId, agentId, delegationId, redemptionLimit: calls, delegation } = token;
  const end = Date.parse(token.expiresAt);
  const isOwnEnd = end < Date.parse(delegation.expiresAt);
  const lifeSecs = isOwnEnd ? (end - Date.parse(token.issuedAt)) / 1_000 : 0;
  return mintHref({ planId, agentId, delegationId, calls, lifeSecs });
}

/** The form with the options of a decoded token. */
export function mintAgainHrefOf({ payload }: Pick<AccessToken, "payload">): string {
  const { planId, agentId, delegationId, iat = 0, exp = iat } = payload.authorization;
  const calls = payload.sessionKey.limits.redemptionLimit;
  return mintHref({ planId, agentId, delegationId, calls, lifeSecs: exp - iat });
}
