import {
  getErc20PriceConfig,
  getFiatPriceConfig,
  getFreePriceConfig,
  getNativeTokenPriceConfig,
  MAX_UINT256,
  type PlanPriceConfig,
} from "@turnpike/payments/protocol";
import { readAddress } from "../ui/fields/address-check.ts";
import { amountText, readMoney } from "../ui/values/money-text.ts";
import {
  CARD_CURRENCIES,
  CARD_PRICE_DECIMALS,
  leastCardPrice,
  mostCardPrice,
} from "./builder/card-currencies.ts";
import type { DraftFault } from "./builder/draft-faults.ts";
import { type PlanDraft, railOf } from "./builder/plan-draft.ts";
import { findToken, type Market, NATIVE_DECIMALS, type TokenInfo } from "./market.ts";

export const MAX_RECEIVERS = 16;

const DECIMALS = /^\d{1,2}$/;
const MAX_TOKEN_DECIMALS = 36;

/** What the amounts of the draft are typed and sent in. */
export type DraftUnit = {
  symbol: string;
  /** How many decimals may be typed. */
  decimals: number;
  /** How many decimals the smallest unit on the wire has. */
  wireDecimals: number;
  /** The contract the price is in, which cannot receive. */
  tokenAddress?: string;
};

/** The unit the draft's price is in, or null while the token is not known. */
export function unitOfDraft(draft: PlanDraft, market: Market): DraftUnit | null {
  switch (railOf(draft)) {
    case "card": {
      const decimals = CARD_CURRENCIES[draft.cardCurrency];
      if (decimals === undefined) return null;
      return { symbol: draft.cardCurrency, decimals, wireDecimals: CARD_PRICE_DECIMALS };
    }
    case "stablecoin": {
      const token = market.tokens.find(
        ({ symbol, isStable }) => isStable && symbol === draft.stablecoin,
      );
      return token ? tokenAsUnit(token) : null;
    }
    case "token": {
      const address = readAddress(draft.tokenAddress);
      if (!address.isAddress) return null;
      const known = findToken(market, address.address);
      if (known) return tokenAsUnit(known);
      const decimals = readDecimals(draft.tokenDecimals);
      if (decimals === null) return null;
      return tokenAsUnit({ address: address.address, symbol: "tokens", decimals });
    }
    case "native":
      return {
        symbol: market.nativeSymbol,
        decimals: NATIVE_DECIMALS,
        wireDecimals: NATIVE_DECIMALS,
      };
    case "free":
      return null;
  }
}

const tokenAsUnit = ({
  address,
  symbol,
  decimals,
}: Pick<TokenInfo, "address" | "symbol" | "decimals">): DraftUnit => ({
  symbol,
  decimals,
  wireDecimals: decimals,
  tokenAddress: address,
});

function readDecimals(text: string): number | null {
  if (!DECIMALS.test(text.trim())) return null;
  const decimals = Number(text);
  return decimals <= MAX_TOKEN_DECIMALS ? decimals : null;
}

/** The amount someone typed in the unit, in its smallest unit on the wire, or what is wrong. */
export function readAmount(text: string, unit: DraftUnit) {
  const reading = readMoney(text, unit.decimals);
  if (!reading.isAmount) return reading;
  if (reading.amount === 0n) {
    return {
      isAmount: false as const,
      fault: "A price is above zero. What costs nothing is Free.",
    };
  }
  return {
    isAmount: true as const,
    amount: reading.amount * 10n ** BigInt(unit.wireDecimals - unit.decimals),
  };
}

/** The draft's price by the protocol's own builders, or what is wrong with its fields. */
export function readPrice(
  draft: PlanDraft,
  market: Market,
): { price: PlanPriceConfig } | { faults: DraftFault[] } {
  const rail = railOf(draft);
  if (rail === "free") return { price: getFreePriceConfig() };
  const unit = unitOfDraft(draft, market);
  if (!unit)
    return { faults: [...unitFaults(draft, market), ...receiverFaults(draft, market, null)] };
  const faults = receiverFaults(draft, market, unit);
  const amounts: bigint[] = [];
  const receivers = rail === "card" ? draft.receivers.slice(0, 1) : draft.receivers;
  for (const [index, { amount }] of receivers.entries()) {
    const reading = readAmount(amount, unit);
    if (reading.isAmount) amounts.push(reading.amount);
    else faults.push({ path: `receivers.${index}.amount`, message: reading.fault });
  }
  const total = amounts.reduce((sum, amount) => sum + amount, 0n);
  if (faults.length === 0 && total > MAX_UINT256) {
    faults.push({ path: "receivers.0.amount", message: "That is more than a chain can count." });
  }
  if (faults.length === 0 && rail === "card") {
    const [least, most] = [leastCardPrice(unit.symbol), mostCardPrice(unit.symbol)];
    const said = (amount: bigint) => `${amountText(amount, unit.wireDecimals)} ${unit.symbol}`;
    const message =
      total < least
        ? `A card is charged at least ${said(least)}.`
        : `A card is charged at most ${said(most)}.`;
    if (total < least || total > most) faults.push({ path: "receivers.0.amount", message });
  }
  if (faults.length > 0) return { faults };
  const prices = receivers.map(({ address }, index) =>
    priceOf(rail, amounts[index] ?? 0n, address.trim(), unit, draft),
  );
  const [first] = prices as [PlanPriceConfig, ...PlanPriceConfig[]];
  return {
    price: {
      ...first,
      amounts: prices.flatMap((price) => price.amounts),
      receivers: prices.flatMap((price) => price.receivers),
    },
  };
}

function priceOf(
  rail: "card" | "stablecoin" | "token" | "native",
  amount: bigint,
  receiver: string,
  unit: DraftUnit,
  draft: PlanDraft,
): PlanPriceConfig {
  if (rail === "card") return getFiatPriceConfig(amount, receiver, draft.cardCurrency);
  if (rail === "native") return getNativeTokenPriceConfig(amount, receiver);
  const price = getErc20PriceConfig(amount, unit.tokenAddress ?? "", receiver);
  // A stablecoin's price names its symbol (§2.10); that of any other token has none.
  return rail === "stablecoin" ? { ...price, currency: unit.symbol } : price;
}

function unitFaults(draft: PlanDraft, market: Market): DraftFault[] {
  const rail = railOf(draft);
  if (rail === "card") return [{ path: "cardCurrency", message: "Choose a currency." }];
  if (rail === "stablecoin") return [{ path: "stablecoin", message: "Choose a stablecoin." }];
  const address = readAddress(draft.tokenAddress);
  if (!address.isAddress) return [{ path: "tokenAddress", message: address.fault }];
  if (findToken(market, address.address) || readDecimals(draft.tokenDecimals) !== null) return [];
  const message = `Decimals are a whole number from 0 to ${MAX_TOKEN_DECIMALS}, as the token's contract says.`;
  return [{ path: "tokenDecimals", message }];
}

function receiverFaults(draft: PlanDraft, market: Market, unit: DraftUnit | null): DraftFault[] {
  const faults: DraftFault[] = [];
  const seen = new Set<string>();
  const receivers = railOf(draft) === "card" ? draft.receivers.slice(0, 1) : draft.receivers;
  for (const [index, { address }] of receivers.entries()) {
    const path = `receivers.${index}.address` as const;
    const reading = readAddress(address, {
      ...(unit?.tokenAddress && { tokenAddress: unit.tokenAddress }),
      ...(market.ownAddress && { ownAddress: market.ownAddress }),
    });
    if (!reading.isAddress) faults.push({ path, message: reading.fault });
    else if (seen.has(reading.address)) {
      faults.push({ path, message: "This account is paid above already: add the amounts." });
    } else seen.add(reading.address);
  }
  return faults;
}
