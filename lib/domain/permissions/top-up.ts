import { parCurrency } from "../orders/money.ts";
import type { Rail } from "../rails/rail.ts";
import type { PermissionFacts } from "./permission-facts.ts";

type TopUp = { isAllowed: true } | { isAllowed: false; detail: string };

const no = (detail: string): TopUp => ({ isAllowed: false, detail });

/**
 * Whether settle may order the plan first, because credits are insufficient: the token and its delegation allow one
 * more order, and one order is enough. Free and trial plans are never topped up.
 */
export function canTopUp(
  { plan, token, delegation, balance }: PermissionFacts,
  { rail, amount, mayOrder }: { rail: Rail; amount: bigint; mayOrder: boolean },
): TopUp {
  if (!plan || !token || !delegation) return no("no_credits");
  const { total, currency, cents } = rail.quote(plan.price);
  if (!mayOrder || !token.canOrder || plan.isTrial || total === 0n) return no("no_credits");
  const available = balance?.isLive ? balance.available : 0n;
  if (plan.accessLimit === "credits" && available + plan.granted < amount)
    return no("order_too_small");
  if (total > token.orderLeft) return no("order_limit");
  if (currency !== null && currency !== parCurrency(delegation.currency))
    return no("currency_mismatch");
  if (currency === null && total > (delegation.orderLimit ?? 0n)) return no("order_limit");
  if (cents > delegation.budgetLeft) return no("spending_limit");
  if (delegation.transactionsLeft !== null && delegation.transactionsLeft <= 0n)
    return no("max_transactions");
  return { isAllowed: true };
}
