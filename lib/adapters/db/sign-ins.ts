import { and, eq, getTableColumns, lt, or, type SQL, sql } from "drizzle-orm";
import type { SignIns } from "@/lib/domain/accounts/sign-in-ports.ts";
import type { Orm } from "./client.ts";
import { findRow } from "./rows.ts";
import { passkeys, sessions, signInChallenges } from "./schema.ts";

/** The machine's clock of the database, which replicas share: one whose own is wrong must not sign people out, nor keep them signed in. */
const now = sql`now()`.mapWith(sessions.seenAt);
const inSecs = (secs: number): SQL => sql`${now} + make_interval(secs => ${secs})`;

export function createSignIns(orm: Orm): SignIns {
  return {
    async putChallenge(hash, challenge, secs) {
      const { expiresAt } = signInChallenges;
      const [row] = await orm
        .insert(signInChallenges)
        .values({ hash, challenge, expiresAt: inSecs(secs) })
        .returning({ expiresAt });
      return (row as { expiresAt: Date }).expiresAt;
    },
    async takeChallenge(hash) {
      const { challenge, expiresAt } = signInChallenges;
      const [row] = await orm
        .delete(signInChallenges)
        .where(eq(signInChallenges.hash, hash))
        .returning({ challenge, expiresAt, now });
      return row && row.expiresAt > row.now ? row : null;
    },
    async openSession(session, secs) {
      const times = { createdAt: now, seenAt: now, expiresAt: inSecs(secs) };
      await orm.insert(sessions).values({ ...session, ...times });
    },
    async findSession(hash) {
      const [row] = await orm
        .select({ ...getTableColumns(sessions), now })
        .from(sessions)
        .where(eq(sessions.hash, hash));
      return row ?? null;
    },
    async touchSession(hash) {
      await orm.update(sessions).set({ seenAt: now }).where(eq(sessions.hash, hash));
    },
    async endSessionIn(hash, secs) {
      await orm
        .update(sessions)
        .set({ expiresAt: sql`least(${sessions.expiresAt}, ${inSecs(secs)})` })
        .where(eq(sessions.hash, hash));
    },
    async endSession(hash) {
      await orm.delete(sessions).where(eq(sessions.hash, hash));
    },
    findPasskey: (credentialId) => findRow(orm, passkeys, { credentialId }),
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
