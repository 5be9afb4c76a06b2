import type { Ports } from "../ports.ts";
import type { AccountRecord } from "../records.ts";
import type { SessionRecord, SignInMethod } from "./sign-in-ports.ts";
import { accountStopped } from "./stopped.ts";

const MINUTE_MS = 60_000;
const IDLE_MS = 30 * MINUTE_MS;
/** After this a browser signs in again, however busy it was. */
export const SESSION_SECS = 12 * 60 * 60;
const TOUCH_EVERY_MS = MINUTE_MS;
/** Longer than a read of a page takes. */
const REPLACED_SECS = 10;

/** Who sits before a browser. */
export type Session = {
  account: AccountRecord;
  method: SignInMethod;
  /** When they last proved it: confirming again opens a new session. */
  provenMsAgo: number;
};

/** Opens a session; the result is the cookie's value and stands nowhere else. Throws `forbidden` for a stopped account. */
export async function openSession(
  ports: Ports,
  account: string,
  method: SignInMethod,
): Promise<string> {
  const { accounts, crypto, signIns } = ports;
  if ((await accounts.find(account))?.stoppedAt) throw accountStopped();
  const token = `${crypto.randomId()}${crypto.randomId()}`.replaceAll("-", "");
  await signIns.openSession({ hash: crypto.digest(token), account, method }, SESSION_SECS);
  return token;
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
  if (!session || isOver(session)) return null;
  const { now, seenAt, createdAt } = session;
  if (isUse && now.getTime() - seenAt.getTime() > TOUCH_EVERY_MS) {
    await signIns.touchSession(session.hash);
  }
  const account = await accounts.find(session.account);
  if (!account || account.stoppedAt) return null;
  return { account, method: session.method, provenMsAgo: now.getTime() - createdAt.getTime() };
}

/** Whether a session goes on. Asking is no use of it. */
export async function sessionLasts({ crypto, signIns }: Ports, token: string): Promise<boolean> {
  const session = await signIns.findSession(crypto.digest(token));
  return session !== null && !isOver(session);
}

export const endSession = (ports: Ports, token: string): Promise<void> =>
  ports.signIns.endSession(ports.crypto.digest(token));

/**
 * Ends a session that the same person has replaced by confirming again, a few seconds later: what their page was
 * reading with it is still answered, and does not say that they were signed out.
 */
export const replaceSession = (ports: Ports, token: string): Promise<void> =>
  ports.signIns.endSessionIn(ports.crypto.digest(token), REPLACED_SECS);

const isOver = ({ seenAt, expiresAt, now }: SessionRecord): boolean =>
  expiresAt <= now || Math.abs(now.getTime() - seenAt.getTime()) > IDLE_MS;
