import { ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { fromMinorUnits } from "@/lib/console/minor-units.ts";
import { toQuote } from "@/lib/domain/orders/money.ts";
import type { RailPrice, RailTerms } from "@/lib/domain/rails/rail.ts";

export type CryptoTermsOptions = {
  network: string;
  /** Tokens worth one unit of a currency, with six decimals: address in lower case to currency. */
  stableTokens: ReadonlyMap<string, string>;
  /** The lowest price of an order in a stable token, in cents; free plans have none. */
  floorCents?: bigint;
};

/** The stable tokens of a deployment. */
export const stableTokensOf = ({ usdc }: { usdc?: string | undefined }): Map<string, string> =>
  new Map(usdc ? [[usdc.toLowerCase(), "USD"]] : []);

/** What is fixed about paying on chain. */
export const createCryptoTerms = ({
  network,
  stableTokens,
  floorCents = 0n,
}: CryptoTermsOptions): RailTerms => ({
  scheme: "svc:erc4337",
  network,
  delegationProvider: "erc4337",
  takes: ({ isCrypto }) => isCrypto,
  quote: (price) =>
    toQuote(price, stableTokens.get(price.tokenAddress.toLowerCase())?.toLowerCase() ?? null),
  findPriceFault: (price) => findFloorFault(price, { stableTokens, floorCents }),
  payTo: ({ receivers }) => receivers[0] ?? ZERO_ADDRESS,
  receiptId: () => "",
  needsOwnerSignature: true,
  usesPaymentMethods: false,
  collects: false,
});

/** The service pays an order's gas: a price of almost nothing would let anyone spend it. */
function findFloorFault(
  price: RailPrice,
  { stableTokens, floorCents }: Required<Pick<CryptoTermsOptions, "stableTokens" | "floorCents">>,
): string | null {
  const currency = stableTokens.get(price.tokenAddress.toLowerCase());
  const { total } = toQuote(price, currency ?? null);
  if (!currency || total === 0n) return null;
  const floor = fromMinorUnits(floorCents, currency);
  if (total >= floor) return null;
  return `An order must cost at least ${floor} (millionths of a dollar), because the service pays its gas; this one costs ${total}. Raise the price and the credits with it.`;
}
