import "server-only";
import { canParseUrl, PaymentsError } from "@turnpike/payments/protocol";
import { type Hex, recoverMessageAddress } from "viem";
import { generateSiweNonce, parseSiweMessage, validateSiweMessage } from "viem/siwe";
import type { Booted } from "../boot.ts";
import { CHALLENGE_SECS, type Challenge, putChallenge, takeChallenge } from "./challenge.ts";
import { openAccount } from "./open-account.ts";

/** A nonce and the time for a Sign-In with Ethereum message (ERC-4361). */
export const startWalletSignIn = ({ ports }: Booted): Promise<Challenge> =>
  putChallenge(ports, generateSiweNonce());

type Answer = { message: string; signature: string; cookie: string | undefined; origin: string };

/**
 * Checks the signed message against this site, this chain and the nonce asked of this browser, and finds or
 * makes the wallet's account. Throws `unauthorized` with what does not fit, and what `admit` throws of the account before it is made.
 */
export async function finishWalletSignIn(
  booted: Booted,
  answer: Answer,
  admit: (account: string) => Promise<void> = async () => {},
): Promise<string> {
  const { challenge: nonce, now } = await takeChallenge(booted.ports, answer.cookie);
  const message = parseSiweMessage(answer.message);
  const { host, origin } = new URL(answer.origin);
  if (!validateSiweMessage({ message, domain: host, nonce, time: now })) {
    throw refused("The signed message is not the one this page asked for.");
  }
  if (!message.uri || !canParseUrl(message.uri) || new URL(message.uri).origin !== origin) {
    throw refused("The signed message names another site.");
  }
  if (message.chainId !== booted.chain.deployment.chainId) {
    throw refused(
      `The signed message is for chain ${message.chainId}; switch the wallet's network.`,
    );
  }
  const age = now.getTime() - (message.issuedAt?.getTime() ?? 0);
  if (Math.abs(age) > CHALLENGE_SECS * 1000) throw refused("The signed message is too old.");
  const { address } = message;
  if (!address || !(await isSignedBy(booted, { ...answer, address }))) {
    throw refused("The signature is not that of the wallet in the message.");
  }
  await admit(booted.ports.addresses.addressOf(address));
  return openAccount(booted, { owner: address, ownerKey: null });
}

/** The chain is asked only about signatures that no key made alone: those of smart wallets. */
async function isSignedBy(
  { chain }: Booted,
  { address, message, signature }: { address: string; message: string; signature: string },
): Promise<boolean> {
  const signer = await recoverMessageAddress({ message, signature: signature as Hex }).catch(
    () => null,
  );
  if (signer === address) return true;
  try {
    return await chain.isSignedByWallet({ address, message, signature });
  } catch (cause) {
    throw new PaymentsError(
      "unavailable",
      "This wallet's signature can't be checked on chain right now.",
      { cause },
    );
  }
}

const refused = (message: string): PaymentsError => new PaymentsError("unauthorized", message);
