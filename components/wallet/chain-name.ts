const NAMES: Record<number, string> = {
  1: "Ethereum",
  10: "Optimism",
  137: "Polygon",
  8453: "Base",
  42161: "Arbitrum",
  84532: "Base Sepolia",
};

/** A chain's name, or its number where it has none here. */
export const chainName = (chainId: number | undefined): string =>
  chainId === undefined ? "no network" : (NAMES[chainId] ?? `chain ${chainId}`);
