import { PaymentsError } from "./errors.ts";

/** The largest amount the protocol carries: 2^256 − 1, what an EVM word holds. */
export const MAX_UINT256 = 2n ** 256n - 1n;

/** The one spelling of a whole amount as text. */
export const CANONICAL_DECIMAL = /^(0|[1-9]\d{0,77})$/;

/** A whole amount as it is written in code or on the wire. */
export type Whole = bigint | number | string;

/** A whole amount from 0 to 2^256 − 1; `null` for signs, exponents, hex, leading zeros and fractions. */
export function readUint256(value: Whole): bigint | null {
  if (typeof value === "string") {
    if (!CANONICAL_DECIMAL.test(value)) return null;
    const amount = BigInt(value);
    return amount <= MAX_UINT256 ? amount : null;
  }
  if (typeof value === "bigint") return value >= 0n && value <= MAX_UINT256 ? value : null;
  return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
}

/** What to say of a value that is no whole amount. */
export const wholeNumberFault = (value: Whole): string =>
  `Expected a whole number from 0 to 2^256-1 as a decimal string, got ${describe(value)}.`;

/** The amount that a member has to be. Throws `invalid_input` for a value that is none. */
export function requireWhole(member: string, value: Whole): bigint {
  const read = readUint256(value);
  if (read !== null) return read;
  throw new PaymentsError("invalid_input", `${member}: ${wholeNumberFault(value)}`);
}

const describe = (value: Whole) => {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 90 ? `${text.slice(0, 87)}…` : text;
};
