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
  const counted = {
    ...(isActive
      ? { "Calls left": calls(token.redemptionsLeft) }
      : { "Calls paid": calls(token.redemptionsUsed) }),
    "Calls in progress": groupDigits(token.redemptionsReserved),
  };
  // As for a free plan: a share of nothing would say that it is used up.
  if (token.orderLimit === "0") return { ...counted, Orders: "None: it spends credits only" };
  return {
    ...counted,
    ...(isActive
      ? { "Left for orders": orders(token.orderLeft) }
      : { "Spent on orders": orders(token.orderSpent) }),
    "Reserved for orders": money(token.orderReserved),
  };
}
