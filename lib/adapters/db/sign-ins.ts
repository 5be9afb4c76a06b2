import { and, eq, lt, or, sql } from "drizzle-orm";
import type { SignIns } from "@/lib/domain/accounts/sign-in-ports.ts";
import type { Orm } from "./client.ts";
import { findRow } from "./rows.ts";
import { passkeys, sessions, signInChallenges } from "./schema.ts";

export function createSignIns(orm: Orm): SignIns {
  return {
    async putChallenge(hash, challenge, expiresAt) {
      await orm
        .insert(signInChallenges)
        .values({ hash, challenge, expiresAt })
        .onConflictDoUpdate({ target: signInChallenges.hash, set: { challenge, expiresAt } });
    },
    async takeChallenge(hash, now) {
      const [row] = await orm
        .delete(signInChallenges)
        .where(eq(signInChallenges.hash, hash))
        .returning();
      return row && row.expiresAt > now ? row.challenge : null;
    },
    async openSession(session) {
      await orm.insert(sessions).values(session);
    },
    findSession: (hash) => findRow(orm, sessions, eq(sessions.hash, hash)),
    async touchSession(hash, seenAt) {
      await orm.update(sessions).set({ seenAt }).where(eq(sessions.hash, hash));
    },
    async endSessionBy(hash, at) {
      await orm
        .update(sessions)
        .set({ expiresAt: sql`least(${sessions.expiresAt}, ${at.toISOString()}::timestamptz)` })
        .where(eq(sessions.hash, hash));
    },
    async endSession(hash) {
      await orm.delete(sessions).where(eq(sessions.hash, hash));
    },
    findPasskey: (credentialId) => findRow(orm, passkeys, eq(passkeys.credentialId, credentialId)),
    async addPasskey(passkey) {
      await orm.insert(passkeys).values(passkey);
    },
    async markPasskeyUsed(credentialId, counter, lastUsedAt) {
      const isAhead = or(
        lt(passkeys.counter, counter),
        // Authenticators that sync between devices do not count: theirs stays 0.
        and(eq(passkeys.counter, 0), eq(passkeys.counter, counter)),
      );
      const rows = await orm
        .update(passkeys)
        .set({ counter, lastUsedAt })
        .where(and(eq(passkeys.credentialId, credentialId), isAhead))
        .returning({ credentialId: passkeys.credentialId });
      return rows.length === 1;
    },
    async sweep() {
      // The machine's clock of the database: one replica whose own is wrong must not sign everyone out.
      const now = sql`clock_timestamp()`;
      const ended = await orm
        .delete(sessions)
        .where(lt(sessions.expiresAt, now))
        .returning({ hash: sessions.hash });
      const unanswered = await orm
        .delete(signInChallenges)
        .where(lt(signInChallenges.expiresAt, now))
        .returning({ hash: signInChallenges.hash });
      return ended.length + unanswered.length;
    },
  };
}
