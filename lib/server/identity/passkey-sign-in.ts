import "server-only";
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { Booted } from "../boot.ts";
import { putChallenge, takeChallenge } from "./challenge.ts";
import { openAccount } from "./open-account.ts";

type Answer<T> = { response: T; cookie: string | undefined; origin: string };

/** What the browser's authenticator is asked in order to make a new passkey. */
export async function startPasskeyRegistration({ ports }: Booted, origin: string) {
  const options = await generateRegistrationOptions({
    rpName: "Turnpike",
    rpID: new URL(origin).hostname,
    // The list of the device shows nothing else to tell passkeys apart.
    userName: `Turnpike account, ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`,
    attestationType: "none",
    // Discoverable, so that signing in needs no name.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const { cookie } = await putChallenge(ports, options.challenge);
  return { options, cookie };
}

/**
 * Checks a new passkey and makes its account, whose owner key the service keeps sealed: the person signs in
 * with the passkey and needs no wallet. Throws `unauthorized` when the answer does not fit.
 */
export async function finishPasskeyRegistration(
  booted: Booted,
  { response, cookie, origin }: Answer<RegistrationResponseJSON>,
): Promise<string> {
  const { ports } = booted;
  const { challenge: expectedChallenge } = await takeChallenge(ports, cookie);
  const checked = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: new URL(origin).hostname,
    requireUserVerification: true,
  }).catch(asRefusal);
  if (!checked.verified) throw refused();
  const { credential } = checked.registrationInfo;
  if (await ports.signIns.findPasskey(credential.id)) throw refused();
  const { address: owner, sealedKey } = ports.crypto.createKey("account-owner");
  const account = await openAccount(booted, { owner, ownerKey: sealedKey });
  await ports.signIns.addPasskey({
    credentialId: credential.id,
    account,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: credential.transports ?? [],
    createdAt: new Date(),
    lastUsedAt: null,
  });
  return account;
}

/** What the browser is asked in order to sign in with a passkey it has. */
export async function startPasskeySignIn({ ports }: Booted, origin: string) {
  const options = await generateAuthenticationOptions({
    rpID: new URL(origin).hostname,
    userVerification: "required",
  });
  const { cookie } = await putChallenge(ports, options.challenge);
  return { options, cookie };
}

/** The account of the passkey that answered. Throws `unauthorized` when it is unknown or does not fit. */
export async function finishPasskeySignIn(
  { ports }: Booted,
  { response, cookie, origin }: Answer<AuthenticationResponseJSON>,
): Promise<string> {
  const { challenge: expectedChallenge } = await takeChallenge(ports, cookie);
  const passkey = await ports.signIns.findPasskey(response.id);
  if (!passkey) {
    throw new PaymentsError(
      "unauthorized",
      "No account uses this passkey. Use another one, or sign up for a new account.",
    );
  }
  const checked = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: new URL(origin).hostname,
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
      counter: passkey.counter,
      transports: passkey.transports as AuthenticatorTransport[],
    },
  }).catch(asRefusal);
  const { newCounter } = checked.authenticationInfo ?? {};
  if (!checked.verified || newCounter === undefined) throw refused();
  const isFresh = await ports.signIns.markPasskeyUsed(passkey.credentialId, newCounter, new Date());
  if (!isFresh) throw refused();
  return passkey.account;
}

const refused = (cause?: unknown): PaymentsError =>
  new PaymentsError("unauthorized", "The passkey's response doesn't match. Start again.", {
    cause,
  });

/** The library throws for an answer that does not fit; what it says is for the log. */
const asRefusal = (cause: unknown): never => {
  throw refused(cause);
};
