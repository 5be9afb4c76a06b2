import type { DelegationSummary } from "@turnpike/payments/protocol";
import { nameOf } from "../delegations/delegation-text.ts";
import { distinctNames } from "../ui/values/distinct-names.ts";
import type { MintTerms } from "./mint-values.ts";

type Offered = MintTerms["delegations"][number];

/** The delegations to choose from: the one in the address, then named ones, then those that expire last. */
export function offeredDelegations(
  delegations: readonly DelegationSummary[],
  asked: string | undefined,
): Offered[] {
  const rank = ({ delegationId, name }: DelegationSummary) =>
    delegationId === asked ? 0 : name ? 1 : 2;
  const names = distinctNames(delegations.map((each) => [each.delegationId, nameOf(each)]));
  return delegations
    .toSorted((a, b) => rank(a) - rank(b) || Date.parse(b.expiresAt) - Date.parse(a.expiresAt))
    .map((each) => ({
      delegationId: each.delegationId,
      name: names.get(each.delegationId) ?? nameOf(each),
      leftCents: String(each.remainingBudgetCents),
      currency: each.currency,
      expiresAt: each.expiresAt,
    }));
}

const FEW = 4;

/** The few that are shown first, and the chosen one; how many there are beside them. */
export function fewDelegations(offered: readonly Offered[], chosen: string) {
  const few = offered.filter(({ delegationId }, at) => at < FEW || delegationId === chosen);
  return { few, more: offered.length - few.length };
}
