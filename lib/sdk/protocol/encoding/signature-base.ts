/** The `tag` of a request's signature, so that it is good for nothing else. */
export const SIGNATURE_TAG = "x402";
/** What a signature covers; with a body its digest too. */
const COMPONENTS = '"@method" "@path" "@query" "payment-signature"';
const DIGEST = ' "content-digest"';

type Signed = { nonce: string; params: string; hasBody: boolean };

// Others on the way may sign too: each signature is a member of both headers.
const FORM = /* @__PURE__ */ new RegExp(
  `(?:^|, *)sig=(\\(${COMPONENTS}(${DIGEST})?\\)((?:;[a-z]+=(?:\\d{1,12}|"[\\w.~:/+=-]{1,128}"))*))(?:, *|$)`,
);

/** The `Signature-Input` header of a request that is signed now. `created` is in seconds since 1970. */
export function writeSignatureInput(given: {
  nonce: string;
  created: number;
  keyId: string;
  hasBody: boolean;
}): string {
  const { nonce, created, keyId, hasBody } = given;
  const components = `${COMPONENTS}${hasBody ? DIGEST : ""}`;
  return `sig=(${components});created=${created};nonce="${nonce}";keyid="${keyId}";alg="ed25519";tag="${SIGNATURE_TAG}"`;
}

/**
 * What a `Signature-Input` header says, or null for any other than this protocol's: exactly its components, `ed25519`,
 * its tag, and a nonce of 16 to 128 characters that names the request.
 */
export function readSignatureInput(header: string): Signed | null {
  const [, params, digest, rest = ""] = FORM.exec(header) ?? [];
  const read = (name: string) => RegExp(`;${name}="([^"]*)"`).exec(rest)?.[1] ?? "";
  const nonce = read("nonce");
  const isOurs = read("alg") === "ed25519" && read("tag") === SIGNATURE_TAG;
  if (params === undefined || !isOurs || nonce.length < 16) return null;
  return { nonce, params, hasBody: digest !== undefined };
}

/** The text that is signed (RFC 9421 §2.5), or null when the request lacks what its signature covers, or covers no body it has. */
export function signatureBase(
  { params, hasBody }: Pick<Signed, "params" | "hasBody">,
  request: {
    method: string;
    path: string;
    query: string;
    contentDigest?: string | undefined;
    token: string;
  },
): string | null {
  const { method, path, query, token, contentDigest } = request;
  if (hasBody !== (contentDigest !== undefined)) return null;
  const lines = [
    `"@method": ${method.toUpperCase()}`,
    `"@path": ${path}`,
    `"@query": ${query || "?"}`,
    `"payment-signature": ${token}`,
    ...(hasBody ? [`"content-digest": ${contentDigest}`] : []),
    `"@signature-params": ${params}`,
  ];
  return lines.some((line) => /[\r\n]/.test(line)) ? null : lines.join("\n");
}

/** The signature in a `Signature` header, in base64, or null. */
export const readSignature = (header: string): string | null =>
  /(?:^|, *)sig=:([A-Za-z0-9+/]{86}==):(?:, *|$)/.exec(header)?.[1] ?? null;

/** A URL's query as signatures cover it: with its question mark, which is all there is without one. */
export const queryOf = (url: string): string => new URL(url).search || "?";

/** The `Content-Digest` of a body (RFC 9530). */
export const digestOf = async (body: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> =>
  `sha-256=:${base64(await crypto.subtle.digest("SHA-256", body))}:`;

/** The bytes in base64. */
export const base64 = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)));
