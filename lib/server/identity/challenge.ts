import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { Ports } from "@/lib/domain/ports.ts";

export const CHALLENGE_SECS = 300;

/** A question for one browser: `cookie` is what it must bring back with the answer. */
export type Challenge = { cookie: string; challenge: string };

/** Puts a question to a browser; it can be answered once, within five minutes. */
export async function putChallenge(ports: Ports, challenge: string): Promise<Challenge> {
  const cookie = ports.crypto.randomId();
  const expiresAt = new Date(Date.now() + CHALLENGE_SECS * 1000);
  await ports.signIns.putChallenge(ports.crypto.digest(cookie), challenge, expiresAt);
  return { cookie, challenge };
}

/** The question a browser was asked. Throws `conflict` when it was answered before or has ended. */
export async function takeChallenge(ports: Ports, cookie: string | undefined): Promise<string> {
  const { crypto, signIns } = ports;
  const challenge = cookie ? await signIns.takeChallenge(crypto.digest(cookie), new Date()) : null;
  if (challenge) return challenge;
  throw new PaymentsError(
    "conflict",
    "This sign-in took too long or was used before. Start again.",
  );
}
