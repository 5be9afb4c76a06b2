import { createECDH } from "node:crypto";
import { createRequire } from "node:module";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { checksumAddress } from "@turnpike/payments/protocol";

/** Recovering a signer is the costly part of a token check; the native library is about thirty times faster. */
export type Recover = (digest: Uint8Array, signature: Uint8Array) => string | null;

const HALF_ORDER = secp256k1.Point.Fn.ORDER / 2n;
const CANONICAL_LENGTH = 65;

/** The signer's address behind a canonical signature (65 bytes, low s, v 27 or 28), or null. */
export function createRecover({ native = true } = {}): {
  recover: Recover;
  kind: "native" | "javascript";
} {
  const recoverKey = (native && loadNative()) || recoverWithNoble;
  return {
    kind: recoverKey === recoverWithNoble ? "javascript" : "native",
    recover(digest, signature) {
      if (signature.length !== CANONICAL_LENGTH || !isLowS(signature)) return null;
      const v = signature[64];
      if (v !== 27 && v !== 28) return null;
      try {
        return addressOf(recoverKey(digest, signature.subarray(0, 64), v - 27));
      } catch {
        return null;
      }
    },
  };
}

type RecoverKey = (digest: Uint8Array, compact: Uint8Array, recovery: number) => Uint8Array;

const recoverWithNoble: RecoverKey = (digest, compact, recovery) => {
  const signature = new Uint8Array(65);
  signature[0] = recovery;
  signature.set(compact, 1);
  const compressed = secp256k1.recoverPublicKey(signature, digest, { prehash: false });
  return secp256k1.Point.fromBytes(compressed).toBytes(false);
};

function loadNative(): RecoverKey | null {
  try {
    // Optional: a platform without a prebuilt binary has no such module.
    const library = createRequire(import.meta.url)("secp256k1") as typeof import("secp256k1");
    return (digest, compact, recovery) => library.ecdsaRecover(compact, recovery, digest, false);
  } catch {
    return null;
  }
}

const isLowS = (signature: Uint8Array) =>
  BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString("hex")}`) <= HALF_ORDER;

/** The address of an uncompressed public key. */
const addressOf = (publicKey: Uint8Array) =>
  checksumAddress(
    `0x${Buffer.from(keccak_256(publicKey.subarray(1)).subarray(12)).toString("hex")}`,
  );

/** A fresh key pair: the private key as hex, and its address. */
export function createKeyPair(): { privateKey: string; address: string } {
  const secret = secp256k1.utils.randomSecretKey();
  return { privateKey: `0x${Buffer.from(secret).toString("hex")}`, address: addressOfKey(secret) };
}

export const addressOfKey = (secret: Uint8Array): string => addressOf(publicKeyOf(secret));

/** The uncompressed public key of a secret. By Node, because the library's tables take a tenth of a second to prepare. */
export function publicKeyOf(secret: Uint8Array): Uint8Array {
  const pair = createECDH("secp256k1");
  pair.setPrivateKey(secret);
  return pair.getPublicKey();
}

/** The canonical signature of a digest: r, s (low), v, as hex. */
export function signDigest(digest: Uint8Array, secret: Uint8Array): string {
  const signature = secp256k1.sign(digest, secret, {
    prehash: false,
    format: "recovered",
    lowS: true,
  });
  const recovery = signature[0] as number;
  return `0x${Buffer.from(signature.subarray(1)).toString("hex")}${(27 + recovery).toString(16)}`;
}
