import { ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { toQuote } from "@/lib/domain/orders/money.ts";
import type { RailTerms } from "@/lib/domain/rails/rail.ts";

export type CryptoTermsOptions = {
  network: string;
  /** Tokens worth one unit of a currency, with six decimals: address in lower case to currency. */
  stableTokens: ReadonlyMap<string, string>;
};

/** The stable tokens of a deployment. */
export const stableTokensOf = ({ usdc }: { usdc?: string | undefined }): Map<string, string> =>
  new Map(usdc ? [[usdc.toLowerCase(), "USD"]] : []);

/** What is fixed about paying on chain. */
export const createCryptoTerms = ({ network, stableTokens }: CryptoTermsOptions): RailTerms => ({
  scheme: "svc:erc4337",
  network,
  delegationProvider: "erc4337",
  takes: ({ isCrypto }) => isCrypto,
  quote: (price) =>
    toQuote(price, stableTokens.get(price.tokenAddress.toLowerCase())?.toLowerCase() ?? null),
  findPriceFault: () => null,
  offer: ({ tokenAddress, receivers }) => ({
    asset: tokenAddress,
    payTo: receivers[0] ?? ZERO_ADDRESS,
  }),
  receiptId: () => "",
  needsOwnerSignature: true,
  usesPaymentMethods: false,
  collects: false,
});
