import type { InputOf } from "@turnpike/payments/protocol";
import { paidIn } from "@/lib/console/paid-in.ts";
import type { Reading } from "../forms/create-resolver.ts";
import type { SavedCard } from "../payment-methods/card-text.ts";
import { type LimitDraft, readLimits } from "./read-limits.ts";
import type { SimulatedPlan } from "./spend-simulator.tsx";

/** The value in place of a card id when the account pays. */
export const ACCOUNT = "account";
const ACCOUNT_CURRENCY = "usd";

export type DelegationValues = LimitDraft & {
  name: string;
  /** A card's id, `ACCOUNT`, or that of a card still to be added. */
  backing: string;
  currency: string;
  planIds: string[];
};

export type BindablePlan = SimulatedPlan & { isCard: boolean };

/** The plans a delegation can be restricted to: those paid the way it pays. */
export const fittingPlans = (plans: BindablePlan[], backing: string): BindablePlan[] =>
  plans.filter(({ isCard }) => isCard === (backing !== ACCOUNT));

/** The currency of the limit; an account on chain counts in dollars. */
export const currencyOf = ({ backing, currency }: DelegationValues): string =>
  backing === ACCOUNT ? ACCOUNT_CURRENCY : currency;

/** The unit that limit is shown in: an account on chain pays stablecoins. */
export const shownUnit = (values: DelegationValues): string =>
  paidIn(currencyOf(values), { isFiat: values.backing !== ACCOUNT }).toUpperCase();

/** What the form creates, or what is wrong with its limits. */
export function readDelegation(
  values: DelegationValues,
  { cards, plans }: { cards: SavedCard[]; plans: BindablePlan[] },
): Reading<DelegationValues, InputOf<"createDelegation">> {
  const reading = readLimits(values, currencyOf(values));
  if (reading.faults) return reading;
  const name = values.name.trim();
  const fitting = fittingPlans(plans, values.backing);
  const card = cards.find(({ id }) => id === values.backing);
  return {
    input: {
      ...reading.limits,
      provider: values.backing === ACCOUNT ? "erc4337" : "card-processor",
      ...(card && { providerPaymentMethodId: card.id }),
      currency: currencyOf(values),
      planIds: values.planIds.filter((id) => fitting.some(({ planId }) => planId === id)),
      ...(name && { name }),
    },
  };
}
