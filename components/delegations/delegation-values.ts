import type { InputOf } from "@turnpike/payments/protocol";
import { paidIn } from "@/lib/console/paid-in.ts";
import type { Reading } from "../forms/create-resolver.ts";
import type { SavedCard } from "../payment-methods/card-text.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
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

/** `currency` is that of a delegation for the plan. Calls on a time plan use no credits. */
export type BindablePlan = SimulatedPlan & {
  isCard: boolean;
  isTimePlan: boolean;
  currency: string;
};

/** Those with credits that calls use up and a delegation buys again. */
export const simulatedPlans = (plans: BindablePlan[]): BindablePlan[] =>
  plans.filter(({ isTimePlan, topUpCents }) => !isTimePlan && topUpCents !== "0");

/** The plans a delegation can be restricted to: those paid the way it pays. */
export const fittingPlans = (plans: BindablePlan[], backing: string): BindablePlan[] =>
  plans.filter(({ isCard }) => isCard === (backing !== ACCOUNT));

/** The currency of the limit; an account on chain counts in dollars. */
const currencyOf = ({ backing, currency }: DelegationValues): string =>
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
  const covered = coverageFaults(values, plans);
  if (reading.faults || covered) return { faults: { ...reading.faults, ...covered } };
  const name = values.name.trim();
  const card = cards.find(({ id }) => id === values.backing);
  return {
    input: {
      ...reading.limits,
      provider: values.backing === ACCOUNT ? "erc4337" : "card-processor",
      ...(card && { providerPaymentMethodId: card.id }),
      currency: currencyOf(values),
      planIds: values.planIds,
      ...(name && { name }),
    },
  };
}

/** What the account calls a plan; by its id where the plan can't be read. */
export const planName = (plans: BindablePlan[], planId: string): string =>
  plans.find((each) => each.planId === planId)?.name ?? `plan ${shortenIdentifier(planId)}`;

/** Why a selected plan could not be paid: a delegation that left it out would cover any plan. */
function coverageFaults(values: DelegationValues, plans: BindablePlan[]) {
  const fitting = fittingPlans(plans, values.backing);
  for (const planId of values.planIds) {
    const name = planName(plans, planId);
    const plan = plans.find((each) => each.planId === planId);
    if (!plan) return { planIds: `“${name}” can’t be read. Deselect it to continue.` };
    if (!fitting.includes(plan)) {
      const way = plan.isCard ? "by card" : "on chain";
      return { planIds: `“${name}” is paid ${way}. Change the payment method or deselect it.` };
    }
    if (plan.isCard && plan.currency !== values.currency) {
      return { currency: `“${name}” is priced in ${plan.currency.toUpperCase()}.` };
    }
  }
  return undefined;
}
