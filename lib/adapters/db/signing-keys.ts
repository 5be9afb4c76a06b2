import type { SigningKey } from "@turnpike/payments/protocol";
import { and, desc, eq, isNull } from "drizzle-orm";
import type { AgentRecord } from "@/lib/domain/records.ts";
import type { Orm } from "./client.ts";
import { agents, signingKeys } from "./schema.ts";

/** The public keys that ever signed statements: a receipt stays checkable after its key was rotated out. */
export const createSigningKeys = (orm: Orm) => ({
  async publish(keys: readonly SigningKey[]): Promise<void> {
    const rows = keys.map((jwk) => ({ kid: jwk.kid, jwk, createdAt: new Date() }));
    await orm.insert(signingKeys).values(rows).onConflictDoNothing();
  },
  async list(): Promise<SigningKey[]> {
    const rows = await orm.select().from(signingKeys).orderBy(desc(signingKeys.createdAt));
    return rows.map(({ jwk }) => jwk);
  },
  /** Where an account's agents are. */
  sitesOf: (owner: string): Promise<Pick<AgentRecord, "endpoints" | "domainProof">[]> =>
    orm
      .select({ endpoints: agents.endpoints, domainProof: agents.domainProof })
      .from(agents)
      .where(and(eq(agents.owner, owner), isNull(agents.archivedAt))),
});
