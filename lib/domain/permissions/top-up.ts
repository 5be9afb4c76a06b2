import { type PlanPriceConfig, schemeOfPrice, totalOf } from "@turnpike/payments/protocol";
import { costInMinorUnits, currencyOf, parCurrency } from "../orders/money.ts";
import type { Ports } from "../ports.ts";
import type { PermissionFacts } from "./permission-facts.ts";

type TopUp = { isAllowed: true } | { isAllowed: false; detail: string };

const no = (detail: string): TopUp => ({ isAllowed: false, detail });

/**
 * Whether settle may order the plan first, because the balance is short: the token and its delegation
 * allow one more order, and one order is enough. Free and trial plans are never topped up.
 */
export function canTopUp(
  ports: Ports,
  { plan, token, delegation, balance }: PermissionFacts,
  amount: bigint,
  mayOrder: boolean,
): TopUp {
  if (!plan || !token || !delegation) return no("no_credits");
  const price = orderPriceOf(plan);
  const total = totalOf(price);
  if (!mayOrder || !token.canOrder || plan.isTrial || total === 0n) return no("no_credits");
  if (!ports.rails.some(({ scheme }) => scheme === schemeOfPrice(plan))) return no("no_rail");
  const available = balance?.isLive ? balance.available : 0n;
  if (plan.accessLimit === "credits" && available + plan.granted < amount)
    return no("order_too_small");
  if (total > token.orderLeft) return no("order_limit");
  const currency = currencyOf(price, ports.stableTokens);
  if (currency !== null && currency !== parCurrency(delegation.currency))
    return no("currency_mismatch");
  if (currency === null && total > (delegation.orderLimit ?? 0n)) return no("order_limit");
  if (costInMinorUnits(price, ports.stableTokens) > delegation.budgetLeft)
    return no("spending_limit");
  if (delegation.transactionsLeft !== null && delegation.transactionsLeft <= 0n)
    return no("max_transactions");
  return { isAllowed: true };
}

const orderPriceOf = (plan: NonNullable<PermissionFacts["plan"]>): PlanPriceConfig => ({
  ...(plan.orderPrice as unknown as PlanPriceConfig),
  amounts: plan.orderPrice.amounts.map(BigInt),
  isCrypto: plan.isCrypto,
});
