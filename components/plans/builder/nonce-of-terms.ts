// FNV-1a with 128 bits. WebCrypto is asynchronous, and pages that are not served over HTTPS don't have it.
const BASIS = 0x6c62272e07bb014262b821756295c58dn;
const PRIME = 0x1000000000000000000013bn;

/**
 * The nonce of a creation, from its draft's seed and what is sent. The service answers a nonce it knows with the plan created
 * under it, whatever the terms. Tabs share a draft's seed, so the terms have to be part of the nonce.
 */
export function nonceOfTerms(seed: string, terms: object): string {
  const bytes = new TextEncoder().encode(JSON.stringify([seed, terms]));
  return bytes
    .reduce((hash, byte) => BigInt.asUintN(128, (hash ^ BigInt(byte)) * PRIME), BASIS)
    .toString();
}
