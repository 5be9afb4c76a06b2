import { and, eq, isNull } from "drizzle-orm";
import type { Tokens } from "@/lib/domain/ports.ts";
import type { TokenRecord } from "@/lib/domain/records.ts";
import { audited, databaseNow } from "./audit.ts";
import type { Orm } from "./client.ts";
import { readPage } from "./paging.ts";
import { delegations, tokens } from "./schema.ts";

export function createTokens(orm: Orm): Tokens {
  return {
    async find(jti) {
      const [row] = await orm.select().from(tokens).where(eq(tokens.jti, jti));
      return row ?? null;
    },
    list: (account, query, planId) =>
      readPage<TokenRecord>({
        orm,
        from: tokens,
        where: and(eq(tokens.account, account), planId ? eq(tokens.planId, planId) : undefined),
        createdAt: tokens.issuedAt,
        id: tokens.jti,
        query,
        read: (page) =>
          orm
            .select()
            .from(tokens)
            .where(page.where)
            .orderBy(...page.orderBy)
            .limit(page.limit)
            .offset(page.offset),
        cursorOf: ({ issuedAt, jti }) => ({ createdAt: issuedAt, id: jti }),
      }),
    insert: (token, delegation, note) =>
      audited(orm, note, async (transaction) => {
        if (delegation) await transaction.insert(delegations).values(delegation);
        await transaction.insert(tokens).values(token);
      }),
    revoke: (jti, note) =>
      audited(orm, note, async (transaction) => {
        await transaction
          .update(tokens)
          .set({ revokedAt: databaseNow })
          .where(and(eq(tokens.jti, jti), isNull(tokens.revokedAt)));
      }),
  };
}
