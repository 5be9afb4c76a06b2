import { type Environment, ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";

/** A token prices can be in. `isStable`: worth its currency, and named by its symbol in a price. */
export type TokenInfo = { address: string; symbol: string; decimals: number; isStable: boolean };

/** Where plans of this deployment are sold: what a price can be in, and who is selling. */
export type Market = {
  environment: Environment;
  /** Where the API answers: `http://localhost:3000`. */
  origin: string;
  /** CAIP-2 id and name of the chain: `eip155:84532`, "Base Sepolia". */
  network: string;
  chainName: string;
  nativeSymbol: string;
  tokens: readonly TokenInfo[];
  /** The account of who looks; absent for visitors. */
  ownAddress?: string;
};

export const NATIVE_DECIMALS = 18;

/** What an amount of a price is counted in. Without `decimals` only smallest units can be said. */
export type Unit = { symbol: string; decimals?: number };

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

export const findToken = (market: Market, address: string): TokenInfo | undefined =>
  market.tokens.find((token) => isSame(token.address, address));

/** The token's unit; of a token nobody described here only its address is known. */
export function tokenUnit(market: Market, address: string): Unit {
  if (isSame(address, ZERO_ADDRESS)) {
    return { symbol: market.nativeSymbol, decimals: NATIVE_DECIMALS };
  }
  return findToken(market, address) ?? { symbol: shortenIdentifier(address) };
}

/** The market with a token its chain has and we do not know: its decimals are what the builder says. */
export function withToken(market: Market, address: string, decimals: number): Market {
  if (findToken(market, address)) return market;
  const token = { address, decimals, symbol: shortenIdentifier(address), isStable: false };
  return { ...market, tokens: [...market.tokens, token] };
}
