/** Makes a creation repeatable: the same input sent twice with one nonce is created once. */
export function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n).toString();
}

/**
 * The nonces of a form that may be sent more than once. The same input keeps its nonce, so that a repeat after a lost
 * answer creates nothing more. An edited one gets another: under the first nonce the edit would be ignored.
 */
export function createNonces(): (input: object) => string {
  const nonces = new Map<string, string>();
  return (input) => {
    const key = JSON.stringify(input);
    const nonce = nonces.get(key) ?? newNonce();
    nonces.set(key, nonce);
    return nonce;
  };
}
