import * as z from "zod/mini";

/** The public key a sender-constrained token is bound to: an ed25519 key as a JWK (RFC 8037). */
export const HolderKey = z.strictObject({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/)),
});
export type HolderKey = z.output<typeof HolderKey>;

/** The `tag` of a request's signature, so that it is good for nothing else. */
export const SIGNATURE_TAG = "x402";

const MAX_SIGNATURE_INPUT = 1024;

/**
 * A request's HTTP message signature (RFC 9421) by the holder of its token, as the agent saw it: the two signature
 * headers and the parts of the request that they cover.
 */
export const RequestProof = z.object({
  method: z.string().check(z.maxLength(16)),
  /** As sent: `/ask`. */
  path: z.string().check(z.maxLength(2048)),
  /** With its question mark, which stands alone without a query. */
  query: z.string().check(z.maxLength(8192)),
  /** The `Content-Digest` header of a request with a body (RFC 9530). */
  contentDigest: z.optional(z.string().check(z.maxLength(256))),
  signatureInput: z.string().check(z.maxLength(MAX_SIGNATURE_INPUT)),
  signature: z.string().check(z.maxLength(256)),
});
export type RequestProof = z.output<typeof RequestProof>;

/** What a signature covers without a body, and with one. */
const COMPONENTS = ["@method", "@path", "@query", "payment-signature"] as const;
const WITH_BODY = [...COMPONENTS, "content-digest"] as const;
type Component = (typeof WITH_BODY)[number];

type Signed = { nonce: string; params: string; components: readonly Component[] };

const FORM = /^sig=(\(((?:"[a-z@-]+" ?)*)\)((?:;[a-z]+=(?:\d{1,12}|"[\w.~:/+=-]{1,128}"))*))$/;

/** The `Signature-Input` header of a request that is signed now. `created` is in seconds since 1970. */
export function writeSignatureInput(given: {
  nonce: string;
  created: number;
  keyId: string;
  hasBody: boolean;
}): string {
  const names = (given.hasBody ? WITH_BODY : COMPONENTS).map((name) => `"${name}"`).join(" ");
  const { nonce, created, keyId } = given;
  return `sig=(${names});created=${created};nonce="${nonce}";keyid="${keyId}";alg="ed25519";tag="${SIGNATURE_TAG}"`;
}

/**
 * What a `Signature-Input` header says, or null for any other than this protocol's: exactly its components, `ed25519`,
 * its tag, and a nonce of 16 to 128 characters that names the request.
 */
export function readSignatureInput(header: string): Signed | null {
  const [, params, list = "", rest = ""] = FORM.exec(header) ?? [];
  if (params === undefined) return null;
  const components = Array.from(list.matchAll(/"([^"]+)"/g), ([, name]) => name);
  const expected = components.length === WITH_BODY.length ? WITH_BODY : COMPONENTS;
  if (components.join() !== expected.join()) return null;
  const values = new Map(
    Array.from(rest.matchAll(/;([a-z]+)=(?:"([^"]*)"|(\d+))/g), ([, name, text, digits]) => [
      name,
      text ?? digits ?? "",
    ]),
  );
  const nonce = values.get("nonce") ?? "";
  const isOurs = values.get("alg") === "ed25519" && values.get("tag") === SIGNATURE_TAG;
  return isOurs && nonce.length >= 16 ? { nonce, params, components: expected } : null;
}

/** The text that is signed (RFC 9421 §2.5), or null when the request lacks what its signature covers. */
export function signatureBase(
  { params, components }: Pick<Signed, "params" | "components">,
  request: Omit<RequestProof, "signature" | "signatureInput"> & { token: string },
): string | null {
  const values: Record<Component, string | undefined> = {
    "@method": request.method.toUpperCase(),
    "@path": request.path,
    "@query": request.query || "?",
    "payment-signature": request.token,
    "content-digest": request.contentDigest,
  };
  const lines = components.map((name) => `"${name}": ${values[name]}`);
  if (components.some((name) => values[name] === undefined)) return null;
  if (lines.some((line) => /[\r\n]/.test(line))) return null;
  return [...lines, `"@signature-params": ${params}`].join("\n");
}

/** The signature in a `Signature` header, in base64, or null. */
export const readSignature = (header: string): string | null =>
  /^sig=:([A-Za-z0-9+/]{86}==):$/.exec(header)?.[1] ?? null;
