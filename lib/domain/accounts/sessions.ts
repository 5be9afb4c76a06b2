import type { Ports } from "../ports.ts";
import type { AccountRecord } from "../records.ts";
import type { SessionRecord, SignInMethod } from "./sign-in-ports.ts";
import { accountStopped } from "./stopped.ts";

const MINUTE_MS = 60_000;
const IDLE_MS = 30 * MINUTE_MS;
/** After this a browser signs in again, however busy it was. */
const SESSION_MS = 12 * 60 * MINUTE_MS;
const TOUCH_EVERY_MS = MINUTE_MS;
/** Longer than a read of a page takes. */
const REPLACED_MS = 10_000;

/** Who sits before a browser. */
export type Session = {
  account: AccountRecord;
  method: SignInMethod;
  /** When they last proved it: confirming anew opens a new session. */
  provenAt: Date;
};

/** Opens a session; `token` is the cookie's value and stands nowhere else. Throws `forbidden` for a stopped account. */
export async function openSession(
  ports: Ports,
  account: string,
  method: SignInMethod,
): Promise<{ token: string; expiresAt: Date }> {
  const { accounts, crypto, signIns } = ports;
  if ((await accounts.find(account))?.stoppedAt) throw accountStopped();
  const token = `${crypto.randomId()}${crypto.randomId()}`.replaceAll("-", "");
  const now = new Date();
  const expiresAt = new Date(now.getTime() + SESSION_MS);
  await signIns.openSession({
    hash: crypto.digest(token),
    account,
    method,
    createdAt: now,
    seenAt: now,
    expiresAt,
  });
  return { token, expiresAt };
}

/**
 * The session behind a cookie, or null when it is unknown, idle for half an hour, twelve hours old, or of a stopped
 * account. Finding it is a use of it; `isUse` is false for what a page asks on its own, which would otherwise keep a
 * session from idling for as long as it is open.
 */
export async function findSession(
  ports: Ports,
  token: string,
  { isUse }: { isUse: boolean } = { isUse: true },
): Promise<Session | null> {
  const { crypto, signIns, accounts } = ports;
  const session = await signIns.findSession(crypto.digest(token));
  const now = new Date();
  if (!session || isOver(session, now)) return null;
  if (isUse && now.getTime() - session.seenAt.getTime() > TOUCH_EVERY_MS) {
    await signIns.touchSession(session.hash, now);
  }
  const account = await accounts.find(session.account);
  if (!account || account.stoppedAt) return null;
  return { account, method: session.method, provenAt: session.createdAt };
}

/** Whether a session goes on. Asking is no use of it. */
export async function sessionLasts({ crypto, signIns }: Ports, token: string): Promise<boolean> {
  const session = await signIns.findSession(crypto.digest(token));
  return session !== null && !isOver(session, new Date());
}

export const endSession = (ports: Ports, token: string): Promise<void> =>
  ports.signIns.endSession(ports.crypto.digest(token));

/**
 * Ends a session that the same person has replaced by confirming anew, a few seconds later: what their page was reading with
 * it is still answered, and does not say that they were signed out.
 */
export const replaceSession = (ports: Ports, token: string): Promise<void> =>
  ports.signIns.endSessionBy(ports.crypto.digest(token), new Date(Date.now() + REPLACED_MS));

const isOver = ({ seenAt, expiresAt }: SessionRecord, now: Date): boolean =>
  expiresAt <= now || now.getTime() - seenAt.getTime() > IDLE_MS;
