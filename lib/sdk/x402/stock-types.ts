/** The parts of the stock x402 packages' types that a scheme touches, so that none of them is a dependency. */
type StockNetwork = `${string}:${string}`;

export type StockRequirements = {
  scheme: string;
  network: StockNetwork;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, unknown>;
};

export type StockPrice =
  | string
  | number
  | { asset: string; amount: string; extra?: Record<string, unknown> };

/** The result of a payment; `paymentRequired` is set for another 402 without a receipt. */
export type StockPaymentResponse = {
  requirements: StockRequirements;
  paymentRequired?: { extensions?: Record<string, unknown> };
};

export type StockClientScheme = {
  readonly scheme: string;
  readonly schemeHooks: {
    onPaymentResponse(response: StockPaymentResponse): Promise<{ recovered: true } | undefined>;
  };
  findDefaultAsset(
    asset: string,
    network: StockNetwork,
  ): { asset: string; decimals: number; symbol: string };
  createPaymentPayload(
    x402Version: number,
    requirements: StockRequirements,
  ): Promise<{ x402Version: number; payload: Record<string, unknown> }>;
};

export type StockServerScheme = {
  readonly scheme: string;
  readonly defaultAssetTransferMethod: "default";
  readonly paymentFlows: {
    default: { supported: readonly ["authorization"]; default: "authorization" };
  };
  parsePrice(price: StockPrice, network: StockNetwork): Promise<{ amount: string; asset: string }>;
  enhancePaymentRequirements(requirements: StockRequirements): Promise<StockRequirements>;
};
