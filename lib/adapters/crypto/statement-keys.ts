import { createHash } from "node:crypto";
import { p256 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import {
  canonicalJson,
  type OfferPayload,
  type ReceiptPayload,
  type SignedStatement,
  type SigningKey,
  type StatementKind,
  statementDigest,
} from "@turnpike/payments/protocol";
import { deriveKey } from "./sealing.ts";
import { addressOfKey, signDigest } from "./signatures.ts";

/** Signs offers and receipts; `keys` are the public keys of all roots, newest first. */
export type StatementKeys = {
  keys: SigningKey[];
  sign(
    kind: StatementKind,
    payload: OfferPayload | ReceiptPayload,
    format: SignedStatement["format"],
  ): SignedStatement;
};

const base64url = (data: Uint8Array | string) => Buffer.from(data).toString("base64url");

/** The keys of the service that is at `origin`, derived from its roots: a DID of its host names them. */
export function createStatementKeys(
  rootKeys: readonly [Uint8Array, ...Uint8Array[]],
  origin: string,
): StatementKeys {
  const did = didOf(origin);
  const [newest, ...older] = rootKeys.map((root) => keysOf(root, did));
  if (!newest) throw new Error("There is no root key.");
  const { jwsSecret, jwsPublic, eipSecret } = newest;
  const header = base64url(JSON.stringify({ alg: "ES256", kid: jwsPublic.kid }));
  return {
    keys: [newest, ...older].flatMap(({ jwsPublic, eipPublic }) => [jwsPublic, eipPublic]),
    sign(kind, payload, format) {
      if (format === "eip712") {
        const complete =
          kind === "offer" ? { validUntil: 0, ...payload } : { transaction: "", ...payload };
        const signature = signDigest(statementDigest(kind, payload), eipSecret);
        return { format, payload: complete, signature };
      }
      const signed = `${header}.${base64url(canonicalJson(payload))}`;
      // Deterministic (RFC 6979): the same statement has the same signature.
      const mark = p256.sign(new TextEncoder().encode(signed), jwsSecret);
      return { format, signature: `${signed}.${base64url(mark)}` };
    },
  };
}

/** The `did:web` of an origin. Its document is at `/.well-known/did.json`. */
export const didOf = (origin: string): string =>
  `did:web:${encodeURIComponent(new URL(origin).host)}`;

type Derived = {
  jwsSecret: Uint8Array;
  jwsPublic: SigningKey;
  eipSecret: Uint8Array;
  eipPublic: SigningKey;
};

function keysOf(root: Uint8Array, did: string): Derived {
  const jwsSecret = deriveKey(root, "statements-es256");
  const eipSecret = deriveKey(root, "statements-eip712");
  const jws = pointOf(p256.getPublicKey(jwsSecret, false), "P-256");
  const eip = pointOf(secp256k1.getPublicKey(eipSecret, false), "secp256k1");
  return {
    jwsSecret,
    jwsPublic: { ...jws, kid: kidOf(did, jws), alg: "ES256", use: "sig" },
    eipSecret,
    eipPublic: {
      ...eip,
      kid: kidOf(did, eip),
      alg: "ES256K",
      use: "sig",
      address: addressOfKey(eipSecret),
    },
  };
}

const pointOf = <Curve extends SigningKey["crv"]>(publicKey: Uint8Array, crv: Curve) => ({
  kty: "EC" as const,
  crv,
  x: base64url(publicKey.subarray(1, 33)),
  y: base64url(publicKey.subarray(33)),
});

/** The DID URL of a key: its fragment is the thumbprint of RFC 7638. */
function kidOf(did: string, { crv, kty, x, y }: ReturnType<typeof pointOf>): string {
  const text = JSON.stringify({ crv, kty, x, y });
  return `${did}#${createHash("sha256").update(text).digest("base64url")}`;
}
