import { type Environment, ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { NATIVE } from "@/lib/console/currency-decimals.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import type { Rail } from "./rails.ts";

/** A token for prices. `isStable`: pegged to its currency, and named by its symbol in a price. */
export type TokenInfo = { address: string; symbol: string; decimals: number; isStable: boolean };

/** The deployment that sells plans: its network, the tokens for prices, and the account that is selling. */
export type Market = {
  environment: Environment;
  /** Origin of the API: `http://localhost:3000`. */
  origin: string;
  /** CAIP-2 id and name of the chain: `eip155:84532`, "Base Sepolia". */
  network: string;
  chainName: string;
  nativeSymbol: string;
  tokens: readonly TokenInfo[];
  /** How this deployment takes no payments. */
  withoutRails?: readonly Rail[];
  /** What the platform keeps of card sales, in hundredths of a percent; absent when it keeps nothing. */
  cardFeeBps?: number;
  /** The signed-in account; absent for visitors. */
  ownAddress?: string;
};

/** The unit of a price. Without `decimals`, amounts are shown in smallest units. */
export type Unit = { symbol: string; decimals?: number };

export const isSameAddress = (one: string, other: string) =>
  one.toLowerCase() === other.toLowerCase();

export const findToken = (market: Market, address: string): TokenInfo | undefined =>
  market.tokens.find((token) => isSameAddress(token.address, address));

/** The token's unit. Only the address is known of tokens outside the market. */
export function tokenUnit(market: Market, address: string): Unit {
  if (isSameAddress(address, ZERO_ADDRESS)) {
    return { symbol: market.nativeSymbol, decimals: NATIVE.decimals };
  }
  return findToken(market, address) ?? { symbol: shortenIdentifier(address) };
}
