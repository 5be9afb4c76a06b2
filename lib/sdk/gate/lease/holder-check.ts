import type * as signatureBaseModule from "../../protocol/encoding/signature-base.ts";
import type { HolderKey } from "../../protocol/request-signature.ts";
import type { GateService } from "../service.ts";

/** How signatures are read; given, because the gate has that code already. */
export type Signatures = Pick<
  typeof signatureBaseModule,
  "readSignature" | "readSignatureInput" | "signatureBase"
>;
type Question = Parameters<GateService["verify"]>[0];

/** Whether a call was made by the holder of its token, as far as a lease may tell. */
export type HolderCheck = (question: Question) => true | Promise<boolean>;

const anyone: HolderCheck = () => true;

/**
 * The check for a token: none for a bearer token, else of the signature (RFC 9421), once for each nonce. Signatures from
 * before the lease, which another process may have seen, are the service's to judge. Throws where the runtime has no Ed25519.
 */
export async function holderCheckOf(
  holder: HolderKey | undefined,
  createdFrom: number,
  { readSignature, readSignatureInput, signatureBase }: Signatures,
): Promise<HolderCheck> {
  if (!holder) return anyone;
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey("jwk", { ...holder }, "Ed25519", false, ["verify"]);
  const seen = new Set<string>();
  return async ({ proof, x402AccessToken: token }) => {
    const signed = proof && readSignatureInput(proof.signatureInput);
    const signature = proof && readSignature(proof.signature);
    if (!signed || !signature || seen.has(signed.nonce)) return false;
    const created = Number(/;created=(\d+)/.exec(signed.params)?.[1] ?? 0);
    if (created < createdFrom || created > Date.now() / 1000) return false;
    const base = signatureBase(signed, { ...proof, token });
    if (base === null) return false;
    seen.add(signed.nonce);
    const bytes = Uint8Array.from(atob(signature), (char) => char.charCodeAt(0));
    return subtle.verify("Ed25519", key, bytes, new TextEncoder().encode(base));
  };
}
