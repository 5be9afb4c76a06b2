const NAMES: Record<number, string> = { 1: "Ethereum", 8453: "Base", 84532: "Base Sepolia" };

/** A chain in words, or by its number. */
export const chainName = (chainId: number | undefined): string =>
  chainId === undefined ? "no network" : (NAMES[chainId] ?? `chain ${chainId}`);
