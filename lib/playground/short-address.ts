/** An address as a sentence has it: `0x5aAe…eAed`. */
export const shortAddress = (address: string): string =>
  `${address.slice(0, 6)}…${address.slice(-4)}`;
