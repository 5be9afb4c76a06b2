const ZERO = "0x0000000000000000000000000000000000000000";

/** A plan's and an agent's parts as another vendor's SDKs write them: nulls for what was not given. */
export const metadataAttributes = {
  name: "Vendor plan",
  description: null,
  tags: null,
  dateCreated: null,
};
export const priceConfig = {
  tokenAddress: ZERO,
  amounts: [],
  receivers: [],
  contractAddress: ZERO,
  feeController: ZERO,
  externalPriceAddress: ZERO,
  templateAddress: ZERO,
  isCrypto: true,
  currency: null,
};
export const creditsConfig = {
  isRedemptionAmountFixed: true,
  redemptionType: 4,
  onchainMirror: false,
  durationSecs: "0",
  amount: "100",
  minAmount: "1",
  maxAmount: "1",
  nftAddress: null,
};
export const endpoints = {
  typescript: [{ POST: "https://agent.example/ask/:id" }],
  python: [{ verb: "POST", url: "/ask/:id" }],
};
