/** Makes a creation repeatable: the same input sent twice with one nonce is created once. */
export function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n).toString();
}
