import {
  getErc20PriceConfig,
  getFiatPriceConfig,
  getFreePriceConfig,
  getNativeTokenPriceConfig,
  MAX_UINT256,
  type PlanPriceConfig,
} from "@turnpike/payments/protocol";
import { MONEY_DECIMALS, NATIVE } from "@/lib/console/currency-decimals.ts";
import { readAddress } from "../ui/fields/address-check.ts";
import { readMoney } from "../ui/values/money-reading.ts";
import { moneyText } from "../ui/values/money-text.ts";
import { CARD_CURRENCIES, leastCardPrice, mostCardPrice } from "./builder/card-currencies.ts";
import type { DraftFault } from "./builder/draft-faults.ts";
import { type PlanDraft, railOf } from "./builder/plan-draft.ts";
import { findToken, type Market, type TokenInfo } from "./market.ts";

export const MAX_RECEIVERS = 16;

const DECIMALS = /^\d{1,2}$/;
const MAX_TOKEN_DECIMALS = 36;

export type DraftUnit = {
  symbol: string;
  /** The decimals that can be typed. */
  decimals: number;
  /** The decimals of the smallest unit on the wire. */
  wireDecimals: number;
  /** The token's contract, which cannot be a receiver. */
  tokenAddress?: string;
};

/** The unit of the draft's price, or null while the token is unknown. */
export function unitOfDraft(draft: PlanDraft, market: Market): DraftUnit | null {
  switch (railOf(draft)) {
    case "card": {
      const decimals = CARD_CURRENCIES[draft.cardCurrency];
      if (decimals === undefined) return null;
      return { symbol: draft.cardCurrency, decimals, wireDecimals: MONEY_DECIMALS };
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
        decimals: NATIVE.decimals,
        wireDecimals: NATIVE.decimals,
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

/** The typed amount in its smallest unit on the wire, or what is wrong with it. */
export function readAmount(text: string, unit: DraftUnit) {
  const reading = readMoney(text, unit.decimals);
  if (!reading.isAmount) return reading;
  if (reading.amount === 0n) {
    return {
      isAmount: false as const,
      fault: "Enter a price above zero. For a plan without a price, choose Free.",
    };
  }
  return {
    isAmount: true as const,
    amount: reading.amount * 10n ** BigInt(unit.wireDecimals - unit.decimals),
  };
}

/** The draft's price, made by the protocol's own builders, or the faults of its fields. */
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
    faults.push({ path: "receivers.0.amount", message: "Enter a smaller amount." });
  }
  if (faults.length === 0 && rail === "card") {
    const [least, most] = [leastCardPrice(unit.symbol), mostCardPrice(unit.symbol)];
    const text = (amount: bigint) => moneyText(amount, unit.wireDecimals, unit.symbol);
    const message =
      total < least
        ? `Card payments are at least ${text(least)}.`
        : `Card payments are at most ${text(most)}.`;
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
  // A stablecoin's price names its symbol (§2.10); other tokens have none.
  return rail === "stablecoin" ? { ...price, currency: unit.symbol } : price;
}

function unitFaults(draft: PlanDraft, market: Market): DraftFault[] {
  const rail = railOf(draft);
  if (rail === "card") return [{ path: "cardCurrency", message: "Choose a currency." }];
  if (rail === "stablecoin") return [{ path: "stablecoin", message: "Choose a stablecoin." }];
  const address = readAddress(draft.tokenAddress);
  if (!address.isAddress) return [{ path: "tokenAddress", message: address.fault }];
  if (findToken(market, address.address) || readDecimals(draft.tokenDecimals) !== null) return [];
  const message = `Enter the decimals of the token’s contract, from 0 to ${MAX_TOKEN_DECIMALS}.`;
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
      faults.push({
        path,
        message: "This receiver is already listed. Add the amounts together instead.",
      });
    } else seen.add(reading.address);
  }
  return faults;
}
