import { and, eq, isNull } from "drizzle-orm";
import type { Tokens } from "@/lib/domain/ports.ts";
import { audited, databaseNow } from "./audit.ts";
import type { Orm } from "./client.ts";
import { insertDelegation } from "./delegations.ts";
import { tokens } from "./schema.ts";

export function createTokens(orm: Orm): Tokens {
  return {
    async find(jti) {
      const [row] = await orm.select().from(tokens).where(eq(tokens.jti, jti));
      return row ?? null;
    },
    insert: (token, delegation, note) =>
      audited(orm, note, async (transaction) => {
        if (delegation) await insertDelegation(transaction, delegation);
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
