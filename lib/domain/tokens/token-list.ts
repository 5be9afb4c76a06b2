import type { TokenSummary } from "@turnpike/payments/protocol";
import { auditNote, notFound, requireCaller } from "../context.ts";
import { getDelegationRecord, summaryOf } from "../delegations/delegations.ts";
import type { TokenRow } from "../figures/holdings-ports.ts";
import { pageAnswer } from "../page-answer.ts";
import type { TokenRecord } from "../records.ts";
import type { Verb } from "../verb.ts";

/** The caller's access tokens and what is left of their limits; never the tokens themselves. */
export const listTokens: Verb<"listTokens"> = async (context, query) => {
  const page = await context.ports.holdings.listTokens(requireCaller(context).account, query);
  const now = await context.ports.clock.now();
  const items = page.items.map((token) => tokenAnswer(token, now));
  return pageAnswer({ ...page, items }, query);
};

/** One token of the caller's, with its delegation. */
export const getToken: Verb<"getToken"> = async (context, { tokenId }) => {
  const { account } = requireCaller(context);
  const { holdings, clock } = context.ports;
  const token = await holdings.findToken(tokenId);
  if (!token || token.account !== account) throw notFound("token", tokenId);
  const [delegation, now] = await Promise.all([
    getDelegationRecord(context, token.delegationId).then((found) => summaryOf(context, found)),
    clock.now(),
  ]);
  return { ...tokenAnswer(token, now), delegation };
};

/** Revokes a token at once: the next verify refuses it. */
export const revokeToken: Verb<"revokeToken"> = async (context, { tokenId }) => {
  const token = await context.ports.tokens.find(tokenId);
  if (!token || token.account !== requireCaller(context).account) throw notFound("token", tokenId);
  await context.ports.tokens.revoke(tokenId, auditNote(context, "token.revoke", tokenId));
  return { success: true } as const;
};

/** A token as its owner sees it. */
export const tokenAnswer = (token: TokenRow, now: Date): TokenSummary => ({
  tokenId: token.jti,
  planId: token.planId,
  planName: token.planName,
  ...(token.agentId && { agentId: token.agentId }),
  ...(token.agentName && { agentName: token.agentName }),
  delegationId: token.delegationId,
  ...(token.delegationName && { delegationName: token.delegationName }),
  status: tokenStatus(token, now),
  redemptionLimit: token.redemptionLimit,
  redemptionsUsed: token.redeemed,
  redemptionsReserved: token.reserved,
  redemptionsLeft: token.redemptionLimit - token.redeemed - token.reserved,
  orderLimit: token.orderLimit.toString(),
  orderSpent: token.orderSpent.toString(),
  orderReserved: token.orderReserved.toString(),
  orderLeft: (token.orderLimit - token.orderSpent - token.orderReserved).toString(),
  issuedAt: token.issuedAt.toISOString(),
  expiresAt: token.expiresAt.toISOString(),
  ...(token.revokedAt && { revokedAt: token.revokedAt.toISOString() }),
  ...(token.lastUsedAt && { lastUsedAt: token.lastUsedAt.toISOString() }),
});

const tokenStatus = (token: TokenRecord, now: Date) => {
  if (token.revokedAt) return "Revoked" as const;
  if (token.expiresAt <= now) return "Expired" as const;
  return token.redeemed >= token.redemptionLimit ? ("Exhausted" as const) : ("Active" as const);
};
