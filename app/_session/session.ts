import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import {
  endSession,
  findSession,
  openSession,
  replaceSession,
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
  const { account, provenAt } = session;
  return { account: account.address, keyId: null, isOperator: account.isOperator, provenAt };
}

/** The person signed in. Throws `unauthorized`: unlike a page, an action does not redirect. */
export async function requireCaller(): Promise<Caller> {
  const caller = await findCaller();
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
  const { token, expiresAt } = await openSession(ports, account, method);
  await writeCookie(SESSION_COOKIE, token, expiresAt);
}

export async function stopSession(): Promise<void> {
  const token = await readCookie(SESSION_COOKIE);
  if (!token) return;
  const { ports } = await getRunning();
  await endSession(ports, token);
  await removeCookie(SESSION_COOKIE);
}
