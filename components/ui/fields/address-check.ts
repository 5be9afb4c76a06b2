import { checksumAddress, isAddress } from "@turnpike/payments/protocol";

const SHAPE = /^0x[0-9a-fA-F]{40}$/;
const ZERO = /^0x0{40}$/;

export type AddressRules = {
  /** The user's own account; the result says so when it is typed. */
  ownAddress?: string;
  /** The token's contract, which can't receive payments. */
  tokenAddress?: string;
  mayBeZero?: boolean;
};

export type AddressReading =
  | { isAddress: true; address: string; good: string }
  | { isAddress: false; fault: string };

/** The checksummed address, or what is wrong with the typed one. */
export function readAddress(text: string, rules: AddressRules = {}): AddressReading {
  const typed = text.trim();
  if (!SHAPE.test(typed)) {
    return fault("That is not an EVM address. It has 42 characters and starts with 0x.");
  }
  if (!isAddress(typed)) {
    return fault("The checksum is wrong: a character or its case is off. Copy the address again.");
  }
  const address = checksumAddress(typed);
  if (ZERO.test(typed) && !rules.mayBeZero) {
    return fault("This is the zero address. Funds sent there are lost.");
  }
  if (rules.tokenAddress && isSame(address, rules.tokenAddress)) {
    return fault("This is the token’s contract. Funds sent there are lost.");
  }
  const isOwn = rules.ownAddress !== undefined && isSame(address, rules.ownAddress);
  const hasChecksum =
    typed !== typed.toLowerCase() && typed.slice(2) !== typed.slice(2).toUpperCase();
  const good = hasChecksum
    ? "Valid address."
    : "This address has no checksum: compare it once more.";
  return { isAddress: true, address, good: isOwn ? `Your account. ${good}` : good };
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
const fault = (sentence: string): AddressReading => ({ isAddress: false, fault: sentence });
