"use server";

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/browser";
import { PaymentsError } from "@turnpike/payments/protocol";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import type { SignInMethod } from "@/lib/domain/accounts/sign-in-ports.ts";
import { CLIENT_ADDRESS_HEADER } from "@/lib/server/http/client-address.ts";
import { CHALLENGE_SECS } from "@/lib/server/identity/challenge.ts";
import {
  finishPasskeyRegistration,
  finishPasskeySignIn,
  startPasskeyRegistration,
  startPasskeySignIn,
} from "@/lib/server/identity/passkey-sign-in.ts";
import { finishWalletSignIn, startWalletSignIn } from "@/lib/server/identity/wallet-sign-in.ts";
import { getRunning } from "@/lib/server/running.ts";
import { readCookie, removeCookie, writeCookie } from "../_session/cookies.ts";
import { answer } from "../_session/operations.ts";
import { readSession, startSession, stopSession } from "../_session/session.ts";
import { findSandbox } from "../demo/find-sandbox.ts";
import { safeNext } from "./safe-next.ts";

const COOKIE = "turnpike-sign-in";

const DemoRole = z.enum(["builder", "subscriber"]);
const WalletAnswer = z.object({
  message: z.string().max(4096),
  // Smart wallets sign at length: with their contract's own data, and what deploys it.
  signature: z.string().regex(/^0x([0-9a-fA-F]{2}){65,8192}$/),
});

/** Signs in as one of the sandbox's two demo accounts. */
export async function signInAsDemo(role: unknown) {
  return answer(async () => {
    await countAttempt();
    const sandbox = await findSandbox();
    if (!sandbox) throw new PaymentsError("not_found", "Demo accounts exist in the sandbox only.");
    const known = DemoRole.safeParse(role);
    if (!known.success)
      throw new PaymentsError("invalid_input", "This demo account does not exist.");
    const { address } = sandbox[known.data];
    await requireSameAccount(address);
    await startSession(address, "demo");
  });
}

/** The same for a form sent before the page's script ran: it redirects on success. */
export async function submitDemo(_before: unknown, form: FormData) {
  // An action can be called with any argument.
  const fields = form instanceof FormData ? form : new FormData();
  const signedIn = await signInAsDemo(fields.get("role"));
  const next = fields.get("next");
  if (signedIn.ok) redirect(safeNext(typeof next === "string" ? next : undefined));
  return signedIn;
}

export async function askWallet() {
  return answer(async () => {
    const running = await getRunning();
    const { cookie, challenge, issuedAt } = await startWalletSignIn(running);
    await remember(cookie);
    return {
      nonce: challenge,
      chainId: running.chain.deployment.chainId,
      issuedAt: issuedAt.toISOString(),
    };
  });
}

export async function signInWithWallet(input: z.input<typeof WalletAnswer>) {
  return answer(() =>
    finish("wallet", async (asked) => {
      const parsed = WalletAnswer.safeParse(input);
      if (!parsed.success) throw new PaymentsError("invalid_input", "The signature is malformed.");
      const answered = { ...parsed.data, ...asked };
      return finishWalletSignIn(await getRunning(), answered, requireSameAccount);
    }),
  );
}

/** What the browser asks its authenticator for: a new passkey, or an existing one. */
export async function askNewPasskey() {
  return answer(async () => {
    // Before the device keeps a passkey that no account will have.
    await requireSameAccount(null);
    const { options, cookie } = await startPasskeyRegistration(await getRunning(), await origin());
    await remember(cookie);
    return options;
  });
}

export async function askPasskey() {
  return answer(async () => {
    const { options, cookie } = await startPasskeySignIn(await getRunning(), await origin());
    await remember(cookie);
    return options;
  });
}

export async function registerPasskey(response: RegistrationResponseJSON) {
  return answer(() =>
    finish("passkey", async (asked) => {
      await requireSameAccount(null);
      return finishPasskeyRegistration(await getRunning(), { response, ...asked });
    }),
  );
}

export async function signInWithPasskey(response: AuthenticationResponseJSON) {
  return answer(() =>
    finish("passkey", async (asked) =>
      finishPasskeySignIn(await getRunning(), { response, ...asked }),
    ),
  );
}

/** Ends the session and redirects to the landing page, or answers why it did not. */
export async function signOut() {
  const stopped = await answer(() => stopSession());
  if (stopped.ok) redirect("/");
  return stopped;
}

/** Throws `rate_limited` after too many attempts from this address. */
async function countAttempt(): Promise<void> {
  const { limits } = await getRunning();
  await limits.signIn((await headers()).get(CLIENT_ADDRESS_HEADER) ?? "unknown");
}

const remember = (cookie: string): Promise<void> => writeCookie(COOKIE, cookie, CHALLENGE_SECS);

/** The page's origin; `answer` has checked it. */
const origin = async (): Promise<string> => (await headers()).get("origin") ?? "";

async function finish(
  method: SignInMethod,
  prove: (asked: { cookie: string | undefined; origin: string }) => Promise<string>,
): Promise<void> {
  await countAttempt();
  const account = await prove({ cookie: await readCookie(COOKIE), origin: await origin() });
  await removeCookie(COOKIE);
  await requireSameAccount(account);
  await startSession(account, method);
}

/**
 * Someone who is signed in may sign in again, to confirm that it is them, but only to the same account: a browser that
 * is left open never changes to another one unnoticed. Throws `forbidden`.
 */
async function requireSameAccount(account: string | null): Promise<void> {
  const session = await readSession();
  if (!session || session.account.address === account) return;
  throw new PaymentsError("forbidden", "You are signed in to another account.", {
    hint: "Use the wallet or passkey that you signed in with, or sign out first.",
  });
}
