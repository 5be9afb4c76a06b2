const NAMES: Record<number, string> = { 1: "Ethereum", 8453: "Base", 84532: "Base Sepolia" };

/** A chain's name, or its number where it has none here. */
export const chainName = (chainId: number | undefined): string =>
  chainId === undefined ? "no network" : (NAMES[chainId] ?? `chain ${chainId}`);

const EXPLORERS: Record<number, string> = {
  8453: "https://basescan.org/tx/",
  84532: "https://sepolia.basescan.org/tx/",
};

/** What the address of a transaction's page in the chain's explorer begins with; undefined without one. */
export const explorerOf = (chainId: number | undefined): string | undefined =>
  chainId === undefined ? undefined : EXPLORERS[chainId];
