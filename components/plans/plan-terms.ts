import {
  type AccessLimit,
  type Plan,
  PlanCreditsConfig,
  PlanPriceConfig,
  type SchemeId,
  schemeOfPrice,
  totalOf,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import { CARD_PRICE_DECIMALS } from "./card-currencies.ts";
import { findToken, type Market, tokenUnit, type Unit } from "./market.ts";
import type { PlanPayload } from "./payload-of-draft.ts";
import type { CreditsKind } from "./plan-draft.ts";
import type { Rail } from "./rails.ts";

/** What a plan costs and grants: of one about to be created and of one that is stored alike. */
export type PlanTerms = {
  price: PlanPriceConfig;
  credits: PlanCreditsConfig;
  accessLimit: AccessLimit;
  isTrial: boolean;
};

/** The terms of what is about to be sent, read as the service reads them. */
export const termsOfPayload = (payload: PlanPayload): PlanTerms => ({
  price: PlanPriceConfig.parse(payload.priceConfig),
  credits: PlanCreditsConfig.parse(payload.creditsConfig),
  accessLimit: payload.accessLimit ?? "credits",
  isTrial: payload.isTrialPlan ?? false,
});

/** The terms of a plan as the service answers it, whose amounts are decimal strings. */
export const termsOfPlan = (plan: Plan): PlanTerms => ({
  price: PlanPriceConfig.parse(plan.registry.price),
  credits: PlanCreditsConfig.parse(plan.registry.credits),
  accessLimit: plan.metadata.plan.accessLimit,
  isTrial: plan.metadata.plan.isTrialPlan,
});

/** How a plan is paid for. */
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
  return { symbol: price.currency ?? "USD", decimals: CARD_PRICE_DECIMALS };
}

export const schemeOfTerms = ({ price }: PlanTerms): SchemeId => schemeOfPrice(price);
