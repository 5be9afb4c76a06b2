import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { ACCOUNT_CHANGED, ACCOUNT_HEADER } from "@/components/data/shown-account.ts";
import {
  endSession,
  findSession,
  openSession,
  replaceSession,
  SESSION_SECS,
  type Session,
} from "@/lib/domain/accounts/sessions.ts";
import type { SignInMethod } from "@/lib/domain/accounts/sign-in-ports.ts";
import type { Caller } from "@/lib/domain/context.ts";
import { SESSION_COOKIE } from "@/lib/server/identity/session-cookie.ts";
import { getRunning } from "@/lib/server/running.ts";
import { readCookie, removeCookie, writeCookie } from "./cookies.ts";

const readOnce = cache(async (isUse: boolean): Promise<Session | null> => {
  const token = await readCookie(SESSION_COOKIE);
  if (!token) return null;
  const { ports } = await getRunning();
  return findSession(ports, token, { isUse });
});

/** Who is signed in, or null. Read once per request. */
export const readSession = (): Promise<Session | null> => readOnce(true);

/** The person signed in, as the pipeline takes them, or null. `isUse` is false for what a page asks on its own. */
export async function findCaller({ isUse } = { isUse: true }): Promise<Caller | null> {
  const session = await readOnce(isUse);
  if (!session) return null;
  const { account, provenMsAgo } = session;
  return { account: account.address, keyId: null, isOperator: account.isOperator, provenMsAgo };
}

/**
 * The person signed in, for what a page sends. Throws where the page shows another account: it is still open from before
 * another tab signed in to this one.
 */
export async function findSender(use?: { isUse: boolean }): Promise<Caller | null> {
  const caller = await findCaller(use);
  const shown = (await headers()).get(ACCOUNT_HEADER);
  if (!caller || shown === null || shown === caller.account) return caller;
  throw new PaymentsError(
    "conflict",
    "You are signed in to another account now. Reload the page.",
    {
      hint: "Nothing was changed.",
      details: [{ path: "session", message: ACCOUNT_CHANGED }],
    },
  );
}

/** The person signed in, for an action, which does not redirect as pages do. Throws `unauthorized`. */
export async function requireCaller(): Promise<Caller> {
  const caller = await findSender();
  if (caller) return caller;
  throw new PaymentsError("unauthorized", "You were signed out.", {
    hint: "Sign in again. Nothing was changed.",
  });
}

/** Who is signed in; everyone else is sent to sign in and comes back to this page. */
export async function requireSession(): Promise<Session> {
  const session = await readSession();
  if (session) return session;
  const path = (await headers()).get("x-turnpike-path") ?? "/home";
  redirect(`/sign-in?next=${encodeURIComponent(path)}`);
}

/** Signs the browser in under a fresh id; the one it had before ends, of the same person a few seconds later. */
export async function startSession(account: string, method: SignInMethod): Promise<void> {
  const { ports } = await getRunning();
  const before = await readCookie(SESSION_COOKIE);
  if (before) {
    const isSame = (await readSession())?.account.address === account;
    await (isSame ? replaceSession : endSession)(ports, before);
  }
  await writeCookie(SESSION_COOKIE, await openSession(ports, account, method), SESSION_SECS);
}

export async function stopSession(): Promise<void> {
  const token = await readCookie(SESSION_COOKIE);
  if (!token) return;
  const { ports } = await getRunning();
  await endSession(ports, token);
  await removeCookie(SESSION_COOKIE);
}
