import { type Hex, size } from "viem";

// Half the order of the curve: of a message's two signatures, contracts accept only the lower one.
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** A key's signature in the only form contracts accept, or null: low s, and v as 27 or 28 (some wallets write 0 or 1). */
export function readKeySignature(text: string): Hex | null {
  if (size(text as Hex) !== 65) return null;
  const v = Number.parseInt(text.slice(130), 16);
  const parity = v >= 27 ? v - 27 : v;
  if ((parity !== 0 && parity !== 1) || BigInt(`0x${text.slice(66, 130)}`) > HALF_ORDER)
    return null;
  return `0x${text.slice(2, 130)}${parity === 0 ? "1b" : "1c"}`;
}
