import { isFree, ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { fromMinorUnits } from "@/lib/console/minor-units.ts";
import { paidIn } from "@/lib/console/paid-in.ts";
import { toQuote } from "@/lib/domain/orders/money.ts";
import type { RailPrice, RailTerms, TermsFault } from "@/lib/domain/rails/rail.ts";
import type { PlanRecord } from "@/lib/domain/records.ts";
import { LONGEST_SECS, MOST_A_REQUEST } from "./chain-plan.ts";

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
  findTermsFault: ({ price, credits }) => {
    if (isFree(price)) return null;
    const fault = findTokenNameFault(price, stableTokens);
    return fault ? { path: "priceConfig.currency", message: fault } : findCreditsFault(credits);
  },
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

/** What the contract can't register in a plan's credits, so that each order would be refused. */
function findCreditsFault({ maxAmount, durationSecs }: PlanRecord["credits"]): TermsFault | null {
  if (maxAmount > MOST_A_REQUEST) {
    const message = "A request on a plan paid on chain must use less than 2^128 credits.";
    return { path: "creditsConfig.maxAmount", message };
  }
  if (durationSecs > LONGEST_SECS) {
    const message = `Credits that are paid on chain last ${LONGEST_SECS} seconds at most. Send 0 for credits that never expire.`;
    return { path: "creditsConfig.durationSecs", message };
  }
  return null;
}

/** Symbols that would say that the native token is a stablecoin. */
const STABLECOINS = ["USDC", "EURC"];
const CARD_CURRENCIES = Intl.supportedValuesOf("currency");

/**
 * Why a price can't name its currency, or null. Amounts are in the smallest unit of the token, which the currency only
 * names; of a token that the deployment does not know, the name can't be checked, and pages don't show it.
 */
function findTokenNameFault(
  { currency, tokenAddress }: RailPrice,
  stableTokens: ReadonlyMap<string, string>,
): string | null {
  if (currency === undefined) return null;
  if (tokenAddress === ZERO_ADDRESS) {
    if (CARD_CURRENCIES.includes(currency)) {
      return `${currency} is a currency of cards, and the price is in the chain’s native token. Send \`isCrypto: false\` for a price by card, or the address of a token as tokenAddress.`;
    }
    if (!STABLECOINS.includes(currency)) return null;
    return `The price is in the chain’s native token, not in ${currency}. Leave the currency out, or give the address of ${currency} as tokenAddress.`;
  }
  const pegged = stableTokens.get(tokenAddress.toLowerCase());
  const symbol = pegged && paidIn(pegged, { isFiat: false }).toUpperCase();
  if (!symbol || currency === symbol) return null;
  return `The token at ${tokenAddress} is ${symbol}, not ${currency}. Name ${symbol}, or leave the currency out.`;
}
