import { and, inArray, isNull, type SQL } from "drizzle-orm";
import { databaseNow } from "./audit.ts";
import type { Orm } from "./client.ts";
import { delegations, tokens } from "./schema.ts";

/** Ends tokens, then delegations: the lock order of the whole ledger, tokens by their id. What it ended. */
export async function revokeUnder(
  transaction: Orm,
  what: { tokens: SQL | undefined; delegationIds: string[] },
) {
  const live = await transaction
    .select({ jti: tokens.jti })
    .from(tokens)
    .where(and(isNull(tokens.revokedAt), what.tokens))
    .orderBy(tokens.jti)
    .for("no key update");
  const jtis = live.map(({ jti }) => jti);
  const ended = await transaction
    .update(tokens)
    .set({ revokedAt: databaseNow })
    .where(inArray(tokens.jti, jtis))
    .returning({
      tokenId: tokens.jti,
      planId: tokens.planId,
      delegationId: tokens.delegationId,
    });
  await transaction
    .update(delegations)
    .set({ revokedAt: databaseNow })
    .where(
      and(inArray(delegations.delegationId, what.delegationIds), isNull(delegations.revokedAt)),
    );
  return ended;
}
