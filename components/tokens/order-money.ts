import type { DelegationSummary } from "@turnpike/payments/protocol";
import { MONEY_DECIMALS } from "@/lib/console/currency-decimals.ts";
import type { PlanPrice } from "../checkout/plan-price.ts";
import { unitOf } from "../delegations/delegation-text.ts";
import { amountText, moneyText } from "../ui/values/money-text.ts";

/**
 * What a token may spend on orders: in the unit of its plan's price where that has no par value, such as ETH, else in the
 * delegation's. `price` is null for a plan that can't be read.
 */
export const orderMoney = (
  amount: string,
  delegation: Pick<DelegationSummary, "provider" | "currency">,
  price: Pick<PlanPrice, "cents" | "isFree" | "decimals" | "currency"> | null,
): string =>
  price && !price.isFree && price.cents === null
    ? `${amountText(amount, price.decimals)} ${price.currency}`
    : moneyText(amount, MONEY_DECIMALS, unitOf(delegation));
