import { MAX_UINT256 } from "@turnpike/payments/protocol";
import { type Address, keccak256, stringToHex } from "viem";
import { fromMinorUnits } from "@/lib/console/minor-units.ts";
import type { ScopedBudgets } from "@/lib/domain/chain-ports.ts";
import { least, parCurrency } from "@/lib/domain/orders/money.ts";
import type { OrderPeriodLimit } from "./grant.ts";

/**
 * The limits of budgets that the chain enforces on orders in `token`: those on money, for all builders and agents. Nothing
 * can be paid in a token that a budget's currency does not count, as in the ledger.
 */
export function periodLimitsOf(
  budgets: readonly ScopedBudgets[],
  token: Address,
  stableTokens: ReadonlyMap<string, string>,
): OrderPeriodLimit[] {
  const currency = stableTokens.get(token.toLowerCase())?.toLowerCase();
  const found = new Map<string, OrderPeriodLimit>();
  for (const { scope, document } of budgets) {
    const isCounted = currency !== undefined && parCurrency(currency) === document.currency;
    for (const { unit, period, limit, builder, agentId } of document.limits) {
      if (unit !== "money" || builder || agentId) continue;
      const key = `${scope}/${period}`;
      const amount = isCounted ? fromMinorUnits(BigInt(limit), currency) : 0n;
      found.set(key, {
        scope: keccak256(stringToHex(`budget:${scope}`)),
        period,
        limit: least(amount, found.get(key)?.limit ?? MAX_UINT256),
      });
    }
  }
  return [...found.values()];
}
