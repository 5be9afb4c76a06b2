import {
  base64,
  digestOf,
  queryOf,
  readSignatureInput,
  signatureBase,
  writeSignatureInput,
} from "../protocol/encoding/signature-base.ts";
import type { HolderKey } from "../protocol/request-signature.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";

/** Signs the requests of one token with a key that never leaves this process. */
export type RequestSigner = {
  /** What the token is minted with, so that it is bound to the key. */
  cnf: { jwk: HolderKey };
  /** The headers that pay for a request, as its agent knows its path (RFC 9421). Its `Idempotency-Key` is the nonce. */
  sign(request: Request, token: string, path: string): Promise<Record<string, string>>;
};

const ED25519 = { name: "Ed25519" };

/** A signer with a new key, or `null` where the platform has no Ed25519. */
export async function createRequestSigner(): Promise<RequestSigner | null> {
  const { subtle } = crypto;
  const keys = await createKeys().catch(() => null);
  if (!keys) return null;
  const { privateKey, jwk } = keys;

  return {
    cnf: { jwk },
    async sign(request, token, path) {
      const body = await request.clone().arrayBuffer();
      const contentDigest = body.byteLength > 0 ? await digestOf(body) : undefined;
      const signatureInput = writeSignatureInput({
        nonce: await nonceOf(request.headers.get("idempotency-key") ?? ""),
        created: Math.floor(Date.now() / 1000),
        keyId: jwk.x,
        hasBody: contentDigest !== undefined,
      });
      const signed = readSignatureInput(signatureInput);
      const { method, url } = request;
      const query = queryOf(url);
      const base = signed && signatureBase(signed, { method, path, query, contentDigest, token });
      const bytes = new TextEncoder().encode(base ?? "");
      const signature = base64(await subtle.sign(ED25519, privateKey, bytes));
      return {
        [X402_HEADERS.PAYMENT_SIGNATURE]: token,
        "signature-input": signatureInput,
        signature: `sig=:${signature}:`,
        ...(contentDigest && { "content-digest": contentDigest }),
      };
    },
  };
}

async function createKeys(): Promise<{ privateKey: CryptoKey; jwk: HolderKey }> {
  const { subtle } = crypto;
  const pair = await subtle.generateKey(ED25519, false, ["sign", "verify"]);
  const { privateKey, publicKey } = pair as CryptoKeyPair;
  const { x = "" } = await subtle.exportKey("jwk", publicKey);
  return { privateKey, jwk: { kty: "OKP", crv: "Ed25519", x } };
}

// A key of another form than a nonce's is as good by its digest.
const nonceOf = async (key: string): Promise<string> =>
  /^[\w.~:/+=-]{16,128}$/.test(key)
    ? key
    : base64(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
