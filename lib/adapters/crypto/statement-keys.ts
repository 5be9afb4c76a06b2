import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
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
import { addressOfKey, publicKeyOf, signDigest } from "./signatures.ts";

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
  const header = base64url(JSON.stringify({ alg: jwsPublic.alg, kid: jwsPublic.kid }));
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
      // Deterministic (RFC 8032): the same statement has the same signature.
      return {
        format,
        signature: `${signed}.${base64url(sign(null, Buffer.from(signed), jwsSecret))}`,
      };
    },
  };
}

/** The `did:web` of an origin. Its document is at `/.well-known/did.json`. */
const didOf = (origin: string): string => `did:web:${encodeURIComponent(new URL(origin).host)}`;

type Derived = {
  jwsSecret: KeyObject;
  jwsPublic: SigningKey;
  eipSecret: Uint8Array;
  eipPublic: SigningKey;
};

/** What precedes the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const ED25519_PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

function keysOf(root: Uint8Array, did: string): Derived {
  const seed = deriveKey(root, "statements-ed25519");
  const jwsSecret = createPrivateKey({
    key: Buffer.concat([ED25519_PKCS8, seed]),
    format: "der",
    type: "pkcs8",
  });
  const { x = "" } = createPublicKey(jwsSecret).export({ format: "jwk" });
  const jws = { kty: "OKP", crv: "Ed25519", x } as const;
  const eipSecret = deriveKey(root, "statements-eip712");
  const point = publicKeyOf(eipSecret);
  const eip = {
    kty: "EC",
    crv: "secp256k1",
    x: base64url(point.subarray(1, 33)),
    y: base64url(point.subarray(33)),
  } as const;
  return {
    jwsSecret,
    jwsPublic: { ...jws, kid: kidOf(did, jws), alg: "EdDSA", use: "sig" },
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

/** The DID URL of a key: its fragment is the thumbprint of RFC 7638. */
function kidOf(did: string, { crv, kty, x, y }: Pick<SigningKey, "crv" | "kty" | "x" | "y">) {
  const text = JSON.stringify({ crv, kty, x, y });
  return `${did}#${createHash("sha256").update(text).digest("base64url")}`;
}
