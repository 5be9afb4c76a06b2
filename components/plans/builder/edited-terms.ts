import { isFree, type PlanPriceConfig } from "@turnpike/payments/protocol";
import { findToken, isSameAddress, type Market } from "../market.ts";
import type { PlanTerms } from "../plan-terms.ts";
import { CARD_CURRENCIES } from "./card-currencies.ts";

/** Why the form for a new version can't edit these terms; null when it can. */
export function findUneditable({ price }: PlanTerms): string | null {
  if (price.isCrypto || isFree(price)) return null;
  const { currency = "USD", receivers } = price;
  if (!(currency in CARD_CURRENCIES)) {
    return `This plan is priced in ${currency}. Here, card prices can be in ${Object.keys(CARD_CURRENCIES).join(", ")}.`;
  }
  if (receivers.length > 1) {
    return `This plan splits card payments between ${receivers.length} receivers. Here, card payments have one.`;
  }
  return null;
}

/** The terms of a new version: what the form's fields say, and the plan's own terms where no field shows them. */
export function editedTerms(plan: PlanTerms, form: PlanTerms, market: Market): PlanTerms {
  const { nftAddress: _edited, ...credits } = plan.credits;
  return {
    ...plan,
    price: editedPrice(plan.price, form.price, market),
    credits: {
      ...credits,
      ...form.credits,
      // Only time plans have a field for their length.
      ...(plan.accessLimit === "credits" && { durationSecs: credits.durationSecs }),
    },
  };
}

function editedPrice(
  plan: PlanPriceConfig,
  form: PlanPriceConfig,
  market: Market,
): PlanPriceConfig {
  if (isFree(plan) && isFree(form)) return plan;
  const { currency: _kept, ...kept } = plan;
  const { tokenAddress, amounts, receivers, isCrypto } = form;
  const currency = editedCurrency(plan, form, market);
  return {
    ...kept,
    tokenAddress,
    amounts,
    receivers,
    isCrypto,
    ...(currency !== undefined && { currency }),
  };
}

/** A token keeps its label, or having none, unless the label is another token's. */
function editedCurrency(
  plan: PlanPriceConfig,
  form: PlanPriceConfig,
  market: Market,
): string | undefined {
  const isKept =
    form.isCrypto && plan.isCrypto && isSameAddress(plan.tokenAddress, form.tokenAddress);
  if (!isKept) return form.currency;
  if (plan.currency === undefined) return undefined;
  if (findToken(market, plan.tokenAddress)) return form.currency;
  return market.tokens.some(({ symbol }) => symbol === plan.currency) ? undefined : plan.currency;
}
