import type { GrantToSign } from "@turnpike/payments/protocol";
import { fromMinorUnits } from "@/lib/console/minor-units.ts";
import { paidIn } from "@/lib/console/paid-in.ts";
import { unitOfToken } from "../checkout/plan-price.ts";
import { amountText, minorText } from "../ui/values/money-text.ts";

type LimitTerms = Pick<
  GrantToSign["terms"],
  "orderToken" | "orderLimit" | "spendingLimitCents" | "currency"
>;

/** What a grant allows in total: stablecoins count at par, every other token in its own unit. */
export function grantLimitText(terms: LimitTerms): string {
  const { orderToken, orderLimit, spendingLimitCents, currency } = terms;
  if (BigInt(orderLimit) === fromMinorUnits(BigInt(spendingLimitCents), currency)) {
    return minorText(spendingLimitCents, paidIn(currency, { isFiat: false }).toUpperCase());
  }
  const token = unitOfToken(orderToken);
  return `${amountText(orderLimit, token.decimals)} ${token.currency}`;
}
