import { createHash, createPublicKey, randomBytes, randomUUID, verify } from "node:crypto";
import { SignJWT } from "jose";
import type { Crypto } from "@/lib/domain/ports.ts";
import { createSealing, deriveKey } from "./sealing.ts";
import { createKeyPair, createRecover, signDigest } from "./signatures.ts";
import { createTokenDigest, hexBytes, type TokenDomain } from "./token-digest.ts";

export type CryptoOptions = {
  /** 32 bytes; the root of every other key. */
  rootKey: Uint8Array;
  tokenDomain: TokenDomain;
  /** False switches to the JavaScript recovery, for platforms and tests. */
  native?: boolean;
};

const SESSION_KEY = "session-key";

/** Keys, signatures and ids of the service. */
export function createCrypto({ rootKey, tokenDomain, native = true }: CryptoOptions): Crypto {
  const sealing = createSealing(rootKey);
  const digestOf = createTokenDigest(tokenDomain);
  const { recover } = createRecover({ native });
  const jwtKey = deriveKey(rootKey, "api-keys");

  return {
    digest: (text) => createHash("sha256").update(text).digest("hex"),
    randomId: () => randomUUID(),
    randomUint: () => BigInt(`0x${randomBytes(16).toString("hex")}`).toString(),
    seal: sealing.seal,
    createKey(purpose) {
      const { privateKey, address } = createKeyPair();
      return { address, sealedKey: sealing.seal(privateKey, purpose) };
    },
    signToken: (payload, sealedSessionKey) =>
      signDigest(digestOf(payload), hexBytes(sealing.open(sealedSessionKey, SESSION_KEY))),
    recoverTokenSigner: (payload, signature) => recover(digestOf(payload), hexBytes(signature)),
    verifyHolder(jwk, message, signature) {
      try {
        const key = createPublicKey({ key: jwk, format: "jwk" });
        return verify(null, Buffer.from(message), key, Buffer.from(signature, "base64"));
      } catch {
        return false;
      }
    },
    async createApiKey({ account, environment, issuedAt, expiresAt }) {
      const keyId = `0x${randomBytes(32).toString("hex")}`;
      const jwt = await new SignJWT({ o11y: "-" })
        .setProtectedHeader({ alg: "HS256" })
        .setSubject(account)
        .setJti(keyId)
        .setAudience(environment)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(jwtKey);
      const apiKey = `svc-${environment}:${jwt}`;
      return { apiKey, keyId, hash: createHash("sha256").update(apiKey).digest("hex") };
    },
  };
}
