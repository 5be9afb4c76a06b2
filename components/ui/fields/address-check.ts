import { checksumAddress, isAddress } from "@turnpike/payments/protocol";

const SHAPE = /^0x[0-9a-fA-F]{40}$/;
const ZERO = /^0x0{40}$/;

export type AddressRules = {
  /** The account of who types; named in the sentence when it is this one. */
  ownAddress?: string;
  /** An address that cannot receive: the contract of the token itself. */
  tokenAddress?: string;
  mayBeZero?: boolean;
};

export type AddressReading =
  | { isAddress: true; address: string; good: string }
  | { isAddress: false; fault: string };

/** The address in its one spelling, or a sentence about what is wrong with what was typed. */
export function readAddress(text: string, rules: AddressRules = {}): AddressReading {
  const typed = text.trim();
  if (!SHAPE.test(typed)) {
    return fault("That is not an EVM address. It has 42 characters and starts with 0x.");
  }
  if (!isAddress(typed)) {
    return fault("The checksum does not fit: a letter is wrong, or its case. Copy it again.");
  }
  const address = checksumAddress(typed);
  if (ZERO.test(typed) && !rules.mayBeZero) {
    return fault("That is the zero address. What is sent there is lost.");
  }
  if (rules.tokenAddress && isSame(address, rules.tokenAddress)) {
    return fault("That is the contract of the token. What is sent there is lost.");
  }
  const isOwn = rules.ownAddress !== undefined && isSame(address, rules.ownAddress);
  const hasChecksum =
    typed !== typed.toLowerCase() && typed.slice(2) !== typed.slice(2).toUpperCase();
  const good = hasChecksum
    ? "Checksum fits."
    : "An address without a checksum: compare it once more.";
  return { isAddress: true, address, good: isOwn ? `Your account. ${good}` : good };
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
const fault = (sentence: string): AddressReading => ({ isAddress: false, fault: sentence });
