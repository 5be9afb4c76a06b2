import { keccak256 } from "./encoding/keccak.ts";

/** The zero address: "native token, fiat, or not used" wherever an address is required (§2.10). */
export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Whether the text is an EVM address: 0x and 40 hex digits, all one case or rightly checksummed. */
export function isAddress(value: string): boolean {
  if (!ADDRESS.test(value)) return false;
  const digits = value.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  return checksumAddress(value) === value;
}

/** Forms check the same few addresses with every key, and a hash takes a phone some milliseconds. */
const known = new Map<string, string>();
const KNOWN = 500;

/** The EIP-55 spelling of an address, the one form this service writes. */
export function checksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const spelled = known.get(digits) ?? spell(digits);
  if (known.size >= KNOWN) known.clear();
  known.set(digits, spelled);
  return spelled;
}

function spell(digits: string): string {
  const hash = keccak256(digits);
  let spelled = "0x";
  for (let index = 0; index < 40; index++) {
    const nibble = (hash[index >> 1] as number) >> (index % 2 === 0 ? 4 : 0);
    const digit = digits[index] as string;
    spelled += (nibble & 8) === 8 ? digit.toUpperCase() : digit;
  }
  return spelled;
}
