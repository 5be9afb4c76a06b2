import "server-only";
import type { DelegationSummary } from "@turnpike/payments/protocol";
import { read, readPublic } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { accountText } from "@/components/delegations/delegation-text.ts";
import { cardShort } from "@/components/payment-methods/card-text.ts";
import { attempt } from "../home/attempt.ts";
import { readAll } from "../read-all.ts";

/** The delegations of the account, newest first: up to a thousand, to be searched and sorted. */
export const readAllDelegations = async (): Promise<DelegationSummary[]> =>
  (await readAll((query) => read("listDelegations", query))).items;

/** Delegations with the names of their payment method and their plans. */
export async function describeDelegations(delegations: DelegationSummary[]) {
  const { account } = await requireSession();
  const hasCards = delegations.some(({ provider }) => provider === "card-processor");
  const planIds = [...new Set(delegations.flatMap((each) => each.planIds))].slice(0, 100);
  const [cards, plans] = await Promise.all([
    hasCards ? attempt("cards", read("listPaymentMethods", {})) : [],
    Promise.all(planIds.map((planId) => readPublic("getPlan", { planId }))),
  ]);
  const names = new Map(
    plans.filter((plan) => plan !== null).map((plan) => [plan.planId, plan.metadata.main.name]),
  );
  return delegations.map((each) => {
    const card = cards?.find(({ id }) => id === each.providerPaymentMethodId);
    return {
      ...each,
      backedBy:
        each.provider === "erc4337"
          ? accountText(account.address)
          : card
            ? cardShort(card)
            : cards
              ? "Removed card"
              : "Card (could not be loaded)",
      covers:
        each.planIds.length === 0
          ? "Any plan"
          : each.planIds
              .map((planId) => names.get(planId) ?? `plan …${planId.slice(-4)}`)
              .join(", "),
    };
  });
}
