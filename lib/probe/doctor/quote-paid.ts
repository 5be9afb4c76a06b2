import "server-only";
import {
  isFree,
  type PaymentOffer,
  PaymentsError,
  type Plan,
  planIdOf,
  type Subscription,
  X402PaymentRequired,
} from "@turnpike/payments/protocol";
import { envelopeOf } from "../checks/check.ts";
import type { Exchange } from "../exchange.ts";
import type { PaidQuote } from "../report/report.ts";
import { type Payer, unlessUnknown } from "./payer.ts";

/** The maximum number of calls in each paid check; each is charged at most once. */
export const PAID_CALLS = { first: 3, limited: 1, parallel: 20, unsettled: 1 } as const;
const ALL_CALLS = BigInt(Object.values(PAID_CALLS).reduce((sum, calls) => sum + calls, 0));

/** An offer that can be paid, with its plan and the payer's balance. */
export type Payable = { offer: PaymentOffer; plan: Plan; subscription: Subscription };

/**
 * The maximum credits of one call under the terms the payer ordered, whatever the agent requests. Later changes of the
 * plan do not affect them.
 */
export const mostPerCall = ({ accessLimit, maxAmount }: Subscription): bigint =>
  accessLimit === "time" ? 0n : BigInt(maxAmount);

/** Offers in a 402 whose plan the payer has. */
export async function readPayable(ask: Exchange, payer: Payer): Promise<Payable[]> {
  const offers = await readOffers(ask, payer);
  const found = await Promise.all(
    offers.map(async ({ offer, plan }) => {
      const { items } = await payer.call("listSubscriptions", { planId: plan.planId });
      const subscription = items.find((one) => one.planId === plan.planId && one.isActive);
      return subscription ? [{ offer, plan, subscription }] : [];
    }),
  );
  return found.flat();
}

/** How often a test customer orders the plan for one run. */
const MOST_ORDERS = 5n;

/** Orders the plan until its credits cover the run, as far as its terms allow that. */
export async function stockUp(payer: Payer, planId: string, credits: bigint): Promise<void> {
  for (let orders = 0n; payer.order && orders < MOST_ORDERS; orders++) {
    const { items } = await payer.call("listSubscriptions", { planId });
    if (items.some((one) => one.isActive && BigInt(one.available) >= credits)) return;
    try {
      await payer.order(planId);
    } catch (cause) {
      // What can't be ordered is said by the checks that need it.
      if (PaymentsError.is(cause)) return;
      throw cause;
    }
  }
}

/** What a test customer has or may order of an offered plan. */
async function readOrderable(ask: Exchange, payer: Payer): Promise<(Standing & { plan: Plan })[]> {
  const [offers, payable] = await Promise.all([readOffers(ask, payer), readPayable(ask, payer)]);
  return offers.map(({ plan }) => {
    const { credits, price } = plan.registry;
    const known = payable.find((one) => one.plan.planId === plan.planId)?.subscription;
    const isTime = plan.metadata.plan.accessLimit === "time";
    const orders =
      plan.metadata.plan.isTrialPlan || isFree(price) ? (known ? 0n : 1n) : MOST_ORDERS;
    return {
      plan,
      left: BigInt(known?.available ?? 0) + orders * BigInt(credits.amount),
      each: known ? mostPerCall(known) : isTime ? 0n : BigInt(credits.maxAmount),
    };
  });
}

/** The cost of the paid checks, on a plan with enough credits or else on the one with the most. */
export async function quotePaid(ask: Exchange, payer: Payer | null): Promise<PaidQuote> {
  const no = (why: string): PaidQuote => ({ isPossible: false, why });
  if (!payer) return no("Sign in or use an API key to run the paid checks.");
  const offers = await readOffers(ask, payer);
  if (offers.length === 0) return no("The endpoint offers no plan of this service.");
  const standings = (payer.order ? await readOrderable(ask, payer) : await readOwned(ask, payer))
    .filter(({ left, each }) => left >= each)
    .sort((one, other) => callsIn(other) - callsIn(one));
  const [chosen] = standings;
  if (!chosen) {
    const names = offers.map(({ plan }) => `"${plan.metadata.main.name}"`).join(", ");
    return no(`You have no credits on the offered plans (${names}).`);
  }
  const { plan, left, each } = chosen;
  const all = ALL_CALLS * each;
  return {
    isPossible: true,
    planId: plan.planId,
    planName: plan.metadata.main.name,
    upTo: String(all < left ? all : left),
    left: String(left),
    ...(payer?.order && { isTest: true }),
  };
}

const readOwned = async (ask: Exchange, payer: Payer) =>
  (await readPayable(ask, payer)).map(({ plan, subscription }) => ({
    plan,
    left: BigInt(subscription.available),
    each: mostPerCall(subscription),
  }));

type Standing = { left: bigint; each: bigint };

/** How many calls fit. If all fit, the first offer wins. */
const callsIn = ({ left, each }: Standing): number => {
  const calls = each === 0n ? ALL_CALLS : left / each;
  return Number(calls < ALL_CALLS ? calls : ALL_CALLS);
};

/** Offers in a 402 whose plan the service knows. */
async function readOffers(ask: Exchange, { call }: Payer) {
  const parsed = X402PaymentRequired.safeParse(envelopeOf(ask));
  if (!parsed.success) return [];
  const found = await Promise.all(
    parsed.data.accepts.map(async (offer) => {
      const planId = planIdOf(offer);
      const plan = planId ? await call("getPlan", { planId }).catch(unlessUnknown) : null;
      return plan ? [{ offer, plan }] : [];
    }),
  );
  return found.flat();
}
