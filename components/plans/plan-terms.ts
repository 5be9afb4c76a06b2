import {
  type AccessLimit,
  type PlanCreditsConfig,
  type PlanPriceConfig,
  type SchemeId,
  schemeOfPrice,
  totalOf,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import { MONEY_DECIMALS } from "@/lib/console/currency-decimals.ts";
import type { CreditsKind } from "./builder/plan-draft.ts";
import { findToken, type Market, tokenUnit, type Unit } from "./market.ts";
import type { Rail } from "./rails.ts";

/** What a plan costs and grants, the same for drafts and stored plans. */
export type PlanTerms = {
  price: PlanPriceConfig;
  credits: PlanCreditsConfig;
  accessLimit: AccessLimit;
  isTrial: boolean;
};

export function railOfPrice(price: PlanPriceConfig, market: Market): Rail {
  if (totalOf(price) === 0n) return "free";
  if (!price.isCrypto) return "card";
  if (price.tokenAddress === ZERO_ADDRESS) return "native";
  return findToken(market, price.tokenAddress)?.isStable ? "stablecoin" : "token";
}

export const creditsKindOfTerms = ({ accessLimit, credits }: PlanTerms): CreditsKind => {
  if (accessLimit === "time") return "time";
  return credits.isRedemptionAmountFixed ? "fixed" : "dynamic";
};

/** What the amounts of a price are counted in. */
export function unitOfPrice(price: PlanPriceConfig, market: Market): Unit {
  if (price.isCrypto) return tokenUnit(market, price.tokenAddress);
  return { symbol: price.currency ?? "USD", decimals: MONEY_DECIMALS };
}

export const schemeOfTerms = ({ price }: PlanTerms): SchemeId => schemeOfPrice(price);
