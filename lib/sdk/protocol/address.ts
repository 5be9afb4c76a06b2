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

/** The last addresses spelled: a form checks the same ones several times as it renders. */
const spelled = new Map<string, string>();
const KEPT = 16;

/** The EIP-55 spelling of an address, the one form this service writes. */
export function checksumAddress(text: string): string {
  const digits = text.slice(2).toLowerCase();
  const known = spelled.get(digits);
  if (known) return known;
  if (spelled.size === KEPT) spelled.clear();
  const address = spell(digits);
  spelled.set(digits, address);
  return address;
}

function spell(digits: string): string {
  const hash = keccak256(digits);
  let address = "0x";
  for (let index = 0; index < 40; index++) {
    const nibble = (hash[index >> 1] as number) >> (index % 2 === 0 ? 4 : 0);
    const digit = digits[index] as string;
    address += (nibble & 8) === 8 ? digit.toUpperCase() : digit;
  }
  return address;
}
