import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { Ports } from "@/lib/domain/ports.ts";

export const CHALLENGE_SECS = 300;

/** A question for one browser: `cookie` is what it must bring back with the answer. Times are the database's, which replicas share. */
export type Challenge = { cookie: string; challenge: string; issuedAt: Date };

/** Puts a question to a browser; it can be answered once, within five minutes. */
export async function putChallenge(ports: Ports, challenge: string): Promise<Challenge> {
  const cookie = ports.crypto.randomId();
  const hash = ports.crypto.digest(cookie);
  const expiresAt = await ports.signIns.putChallenge(hash, challenge, CHALLENGE_SECS);
  return { cookie, challenge, issuedAt: new Date(expiresAt.getTime() - CHALLENGE_SECS * 1000) };
}

/** The question a browser was asked, and the time now. Throws `conflict` when it was answered before or has ended. */
export async function takeChallenge(
  { crypto, signIns }: Ports,
  cookie: string | undefined,
): Promise<{ challenge: string; now: Date }> {
  const asked = cookie ? await signIns.takeChallenge(crypto.digest(cookie)) : null;
  if (asked) return asked;
  throw new PaymentsError(
    "conflict",
    "This sign-in took too long or was used before. Start again.",
  );
}
