import { createHmac, createPublicKey, hash, randomBytes, randomUUID, verify } from "node:crypto";
import { SignJWT } from "jose";
import type { Crypto } from "@/lib/domain/ports.ts";
import { createSealing, deriveKey } from "./sealing.ts";
import { createKeyPair, createRecover, signDigest } from "./signatures.ts";
import { createTokenDigest, hexBytes, type TokenDomain } from "./token-digest.ts";

export type CryptoOptions = {
  /** 32 bytes each, newest first: the roots of every other key. */
  rootKeys: readonly [Uint8Array, ...Uint8Array[]];
  tokenDomain: TokenDomain;
  /** False switches to the JavaScript recovery, for platforms and tests. */
  native?: boolean;
};

const SESSION_KEY = "session-key";

/** A UUID of version 7 (RFC 9562): milliseconds, then 74 random bits. */
function orderedId(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

const digest = (text: string): string => hash("sha256", text);

/** Keys, signatures and ids of the service. */
export function createCrypto({ rootKeys, tokenDomain, native = true }: CryptoOptions): Crypto {
  const sealing = createSealing(rootKeys);
  const digestOf = createTokenDigest(tokenDomain);
  const { recover } = createRecover({ native });
  const jwtKey = deriveKey(rootKeys[0], "api-keys");

  return {
    digest,
    randomId: () => randomUUID(),
    orderedId,
    randomUint: () => BigInt(`0x${randomBytes(16).toString("hex")}`).toString(),
    seal: sealing.seal,
    createKey(purpose) {
      const { privateKey, address } = createKeyPair();
      return { address, sealedKey: sealing.seal(privateKey, { purpose, row: address }) };
    },
    signToken(payload, sealedSessionKey) {
      const place = { purpose: SESSION_KEY, row: payload.sessionKey.address };
      return signDigest(digestOf(payload), hexBytes(sealing.open(sealedSessionKey, place)));
    },
    recoverTokenSigner: (payload, signature) => recover(digestOf(payload), hexBytes(signature)),
    verifyHolder(jwk, message, signature) {
      try {
        const key = createPublicKey({ key: jwk, format: "jwk" });
        return verify(null, Buffer.from(message), key, Buffer.from(signature, "base64"));
      } catch {
        return false;
      }
    },
    linkSecret(use, storedHash) {
      const secretOf = (rootKey: Uint8Array) =>
        Buffer.from(deriveKey(rootKey, `link/${use}`)).toString("base64url");
      const isStored = (secret: string) => digest(secret) === storedHash;
      return rootKeys.map(secretOf).find(isStored) ?? secretOf(rootKeys[0]);
    },
    createWebhookSecret: () => `whsec_${randomBytes(32).toString("base64")}`,
    signWebhook(message, sealed, place) {
      const secret = sealing.open(sealed, place).replace(/^whsec_/, "");
      return createHmac("sha256", Buffer.from(secret, "base64")).update(message).digest("base64");
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
      return { apiKey, keyId, hash: digest(apiKey) };
    },
  };
}
