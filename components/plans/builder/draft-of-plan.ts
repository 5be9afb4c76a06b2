import { typedAmount } from "../../ui/values/money-text.ts";
import { findToken, type Market } from "../market.ts";
import { creditsKindOfTerms, type PlanTerms, railOfPrice, unitOfPrice } from "../plan-terms.ts";
import { CARD_CURRENCIES } from "./card-currencies.ts";
import { newDraft, type PlanDraft, type PlanKind } from "./plan-draft.ts";

/** The fields that make these terms: the start of a new version. */
export function draftOfPlan(terms: PlanTerms, name: string, market: Market): PlanDraft {
  const { price, credits } = terms;
  const rail = railOfPrice(price, market);
  const counts = creditsKindOfTerms(terms);
  const kind: PlanKind = terms.isTrial
    ? "trial"
    : ({ fixed: "perCall", dynamic: "flexible", time: "timePass" } as const)[counts];
  const usual = newDraft(market, "");
  const unit = unitOfPrice(price, market);
  // Without known decimals, amounts are in the smallest unit.
  const decimals = unit.decimals ?? 0;
  return {
    ...usual,
    name,
    kind,
    rail,
    trialCredits: counts,
    cardCurrency: price.currency && price.currency in CARD_CURRENCIES ? price.currency : "USD",
    stablecoin: findToken(market, price.tokenAddress)?.symbol ?? usual.stablecoin,
    tokenAddress: rail === "token" ? price.tokenAddress : "",
    tokenDecimals: String(decimals),
    receivers:
      price.receivers.length === 0
        ? usual.receivers
        : price.receivers.map((address, index) => ({
            address,
            amount: typedAmount(price.amounts[index] ?? 0n, decimals),
          })),
    granted: counts === "time" ? usual.granted : credits.amount,
    perCall: String(credits.minAmount),
    least: String(credits.minAmount),
    most: String(credits.maxAmount),
    durationSecs: counts === "time" ? Number(credits.durationSecs) : usual.durationSecs,
    redemptionType: credits.redemptionType,
    proofRequired: credits.proofRequired,
    holderRequired: credits.holderRequired,
    nftAddress: credits.nftAddress ?? "",
  };
}
