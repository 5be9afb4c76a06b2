import { digestOf, queryOf } from "../protocol/encoding/signature-base.ts";
import { pathOf } from "../protocol/match-route.ts";
import { RequestProof } from "../protocol/request-signature.ts";
import type { Unnamed } from "./faults/unnamed.ts";

/**
 * The signature of a request and what it covers as the gate sees it, or `null` without one. Its client signed the public
 * `url`, which a proxy may have shortened. Of `body` the digest is taken here, not believed; a body that is not there as it was sent has only the digest its sender states.
 */
export async function readProof(
  { method, headers }: Request,
  url: string,
  body: Uint8Array<ArrayBuffer> | Unnamed | null,
): Promise<RequestProof | null> {
  const bytes = body instanceof Uint8Array ? body : null;
  const isEmpty = bytes?.byteLength === 0;
  const contentDigest = isEmpty
    ? null
    : bytes
      ? await digestOf(bytes)
      : headers.get("content-digest");
  const proof = RequestProof.safeParse({
    method,
    path: pathOf(url),
    query: queryOf(url),
    ...(contentDigest && { contentDigest }),
    signatureInput: headers.get("signature-input"),
    signature: headers.get("signature"),
  });
  return proof.data ?? null;
}
