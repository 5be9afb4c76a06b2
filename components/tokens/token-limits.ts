import type { TokenDetails } from "@turnpike/payments/protocol";
import type { PlanPrice } from "../checkout/plan-price.ts";
import { shareText } from "../ui/data/meter-facts.ts";
import { groupDigits } from "../ui/values/money-text.ts";
import { orderMoney } from "./order-money.ts";

/** What is left of a token's limits; once it can pay for nothing more, what was used of them. */
export function tokenLimits(token: TokenDetails, price: PlanPrice | null): Record<string, string> {
  const money = (amount: string) => orderMoney(amount, token.delegation, price);
  const calls = (count: number) =>
    shareText(groupDigits(count), groupDigits(token.redemptionLimit));
  const orders = (amount: string) => shareText(money(amount), money(token.orderLimit));
  const isActive = token.status === "Active";
  return {
    ...(isActive
      ? { "Calls left": calls(token.redemptionsLeft) }
      : { "Calls paid": calls(token.redemptionsUsed) }),
    "Calls in progress": groupDigits(token.redemptionsReserved),
    ...(isActive
      ? { "Left for orders": orders(token.orderLeft) }
      : { "Spent on orders": orders(token.orderSpent) }),
    "Reserved for orders": money(token.orderReserved),
  };
}
