import type { ParsedInputOf } from "@turnpike/payments/protocol";
import { auditNote, type Context, notFound, requireCaller } from "./context.ts";
import { pageAnswer } from "./page-answer.ts";
import type { TokenRecord } from "./records.ts";

/** The caller's access tokens and what is left of their limits; never the tokens themselves. */
export async function listTokens(context: Context, query: ParsedInputOf<"listTokens">) {
  const page = await context.ports.tokens.list(requireCaller(context).account, query, query.planId);
  const now = await context.ports.clock.now();
  const items = page.items.map((token) => ({
    tokenId: token.jti,
    planId: token.planId,
    ...(token.agentId && { agentId: token.agentId }),
    delegationId: token.delegationId,
    status: tokenStatus(token, now),
    redemptionLimit: token.redemptionLimit,
    redemptionsUsed: token.redeemed,
    redemptionsReserved: token.reserved,
    orderLimit: token.orderLimit.toString(),
    orderSpent: token.orderSpent.toString(),
    issuedAt: token.issuedAt.toISOString(),
    expiresAt: token.expiresAt.toISOString(),
  }));
  return pageAnswer({ ...page, items }, query);
}

/** Ends a token at once: the next verify refuses it. */
export async function revokeToken(context: Context, { tokenId }: ParsedInputOf<"revokeToken">) {
  const token = await context.ports.tokens.find(tokenId);
  if (!token || token.account !== requireCaller(context).account) throw notFound("token", tokenId);
  await context.ports.tokens.revoke(tokenId, auditNote(context, "token.revoke", tokenId));
  return { success: true } as const;
}

const tokenStatus = (token: TokenRecord, now: Date) => {
  if (token.revokedAt) return "Revoked" as const;
  if (token.expiresAt <= now) return "Expired" as const;
  return token.redeemed >= token.redemptionLimit ? ("Exhausted" as const) : ("Active" as const);
};
