import { checksumAddress } from "../address.ts";
import { keccak256 } from "../encoding/keccak.ts";

// secp256k1 (SEC 2, 2.4.1). Only public values are computed with, so nothing here needs constant time.
const P = 2n ** 256n - 2n ** 32n - 977n;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const G: Point = [
  0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
];

type Point = readonly [x: bigint, y: bigint] | null;

const mod = (value: bigint, by = P): bigint => ((value % by) + by) % by;

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, mod(base)];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

function invert(value: bigint, by = P): bigint {
  let [a, b, x, y] = [mod(value, by), by, 1n, 0n];
  while (a > 1n) {
    const quotient = b / a;
    [a, b, x, y] = [b - quotient * a, a, y - quotient * x, x];
  }
  return mod(x, by);
}

function add(p: Point, q: Point): Point {
  if (!p) return q;
  if (!q) return p;
  if (p[0] === q[0] && mod(p[1] + q[1]) === 0n) return null;
  const slope =
    p[0] === q[0]
      ? mod(3n * p[0] * p[0] * invert(2n * p[1]))
      : mod((q[1] - p[1]) * invert(q[0] - p[0]));
  const x = mod(slope * slope - p[0] - q[0]);
  return [x, mod(slope * (p[0] - x) - p[1])];
}

function multiply(point: Point, factor: bigint): Point {
  let [result, doubled]: Point[] = [null, point];
  for (let rest = factor; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = add(result ?? null, doubled ?? null);
    doubled = add(doubled ?? null, doubled ?? null);
  }
  return result ?? null;
}

/** The EVM address that signed a digest, or null for a signature that is not r, s (low) and v 27 or 28, in hex. */
export function recoverAddress(digest: Uint8Array, signature: string): string | null {
  const [r, s, v] = [
    [2, 66],
    [66, 130],
    [130, 132],
  ].map(([from, to]) => BigInt(`0x${signature.slice(from, to)}`)) as [bigint, bigint, bigint];
  if (r === 0n || r >= N || s === 0n || s > N / 2n || (v !== 27n && v !== 28n)) return null;
  const ySquared = mod(r * r * r + 7n);
  const root = power(ySquared, (P + 1n) / 4n);
  if (mod(root * root) !== ySquared) return null;
  const y = (root & 1n) === v - 27n ? root : P - root;
  const hash = BigInt(`0x${hexOf(digest)}`);
  const inverse = invert(r, N);
  const key = add(multiply([r, y], mod(s * inverse, N)), multiply(G, mod(-hash * inverse, N)));
  if (!key) return null;
  const bytes = key.map((value) => value.toString(16).padStart(64, "0")).join("");
  const publicKey = Uint8Array.from(bytes.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return addressOf(publicKey);
}

/** The EVM address of a public key: 64 bytes, x and y. */
export const addressOf = (publicKey: Uint8Array): string =>
  checksumAddress(`0x${hexOf(keccak256(publicKey).subarray(12))}`);

/** Whether a key of secp256k1 made an ECDSA signature of a digest: 64 bytes, r and s, with either s. */
export function isSignedBySecp256k1(
  publicKey: Uint8Array,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (publicKey.length !== 64 || signature.length !== 64) return false;
  const s = BigInt(`0x${hexOf(signature.subarray(32))}`);
  const low = (s > N / 2n ? N - s : s).toString(16).padStart(64, "0");
  const both = `0x${hexOf(signature.subarray(0, 32))}${low}`;
  return ["1b", "1c"].some((v) => recoverAddress(digest, both + v) === addressOf(publicKey));
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
