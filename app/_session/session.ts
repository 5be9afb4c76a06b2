import "server-only";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import {
  endSession,
  findSession,
  openSession,
  type Session,
} from "@/lib/domain/accounts/sessions.ts";
import type { SignInMethod } from "@/lib/domain/accounts/sign-in-ports.ts";
import { getRunning } from "@/lib/server/running.ts";
import { readCookie, removeCookie, writeCookie } from "./cookies.ts";

const COOKIE = "turnpike-session";

/** Who is signed in, or null. Read once per request. */
export const readSession = cache(async (): Promise<Session | null> => {
  const token = await readCookie(COOKIE);
  if (!token) return null;
  const { ports } = await getRunning();
  return findSession(ports, token);
});

/** Who is signed in; everyone else is sent to sign in and comes back to this page. */
export async function requireSession(): Promise<Session> {
  const session = await readSession();
  if (session) return session;
  const path = (await headers()).get("x-turnpike-path") ?? "/home";
  redirect(`/sign-in?next=${encodeURIComponent(path)}`);
}

/** Signs the browser in under a fresh id; the one it had before ends. */
export async function startSession(account: string, method: SignInMethod): Promise<void> {
  await stopSession();
  const { ports } = await getRunning();
  const { token, expiresAt } = await openSession(ports, account, method);
  await writeCookie(COOKIE, token, expiresAt);
}

export async function stopSession(): Promise<void> {
  const token = await readCookie(COOKIE);
  if (!token) return;
  const { ports } = await getRunning();
  await endSession(ports, token);
  await removeCookie(COOKIE);
}
