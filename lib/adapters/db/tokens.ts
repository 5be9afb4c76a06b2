import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Tokens } from "@/lib/domain/ports.ts";
import { audited, databaseNow } from "./audit.ts";
import type { Orm } from "./client.ts";
import { insertDelegation } from "./delegations.ts";
import { endWaiting } from "./revoke-under.ts";
import { findRow } from "./rows.ts";
import { agents, delegations, plans, tokens } from "./schema.ts";

const MAX_LIMIT = Number.MAX_SAFE_INTEGER;

export function createTokens(orm: Orm): Tokens {
  return {
    find: (jti) => findRow(orm, tokens, { jti }),
    insert: (token, delegation, note) =>
      audited(orm, note, async (transaction) => {
        if (delegation) await insertDelegation(transaction, delegation);
        const { redemptionLimit: limit, redeemed, reserved, expiresAt } = tokens;
        await transaction
          .insert(tokens)
          .values(token)
          // A wallet's token that is renewed: the requests that are left count from now, and no copy of it pays for fewer.
          .onConflictDoUpdate({
            target: tokens.jti,
            set: {
              redemptionLimit: sql`least(${MAX_LIMIT}, greatest(${limit}, ${redeemed} + ${reserved} + excluded.redemption_limit))`,
              expiresAt: sql`greatest(${expiresAt}, excluded.expires_at)`,
            },
          });
      }),
    revoke: (jti, note) =>
      audited(orm, note, async (transaction) => {
        await transaction
          .update(tokens)
          .set({ revokedAt: databaseNow })
          .where(and(eq(tokens.jti, jti), isNull(tokens.revokedAt)));
        await endWaiting(transaction, { tokens: [jti], delegations: [] });
      }),
  };
}

const tokenColumns = {
  ...getTableColumns(tokens),
  planName: sql<string>`${plans.metadata}->>'name'`,
  agentName: sql<string | null>`${agents.metadata}->>'name'`,
  delegationName: delegations.name,
};

/** Tokens with the names of what they belong to. */
export const selectTokens = (orm: Orm) =>
  orm
    .select(tokenColumns)
    .from(tokens)
    .innerJoin(plans, eq(plans.planId, tokens.planId))
    .innerJoin(delegations, eq(delegations.delegationId, tokens.delegationId))
    .leftJoin(agents, eq(agents.agentId, tokens.agentId));
