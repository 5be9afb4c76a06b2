import "server-only";
import {
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
import type { Payer } from "./payer.ts";

/** Calls that paid checks make at most; each is charged once at most. */
export const PAID_CALLS = { first: 3, limited: 1, parallel: 20, unsettled: 1 } as const;
const ALL_CALLS = BigInt(Object.values(PAID_CALLS).reduce((sum, calls) => sum + calls, 0));

/** An offer that can be paid, with its plan and what the payer has of it. */
export type Payable = { offer: PaymentOffer; plan: Plan; subscription: Subscription };

/**
 * The most credits one call can take, whatever the agent asks for: by the terms the payer ordered, which a
 * later change of the plan leaves as they are.
 */
export const mostPerCall = ({ accessLimit, maxAmount }: Subscription): bigint =>
  accessLimit === "time" ? 0n : BigInt(maxAmount);

/** Offers of a 402 whose plan the payer has. */
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

/** What paid checks would cost the payer: on the plan with enough left, else on that with most. */
export async function quotePaid(ask: Exchange, payer: Payer | null): Promise<PaidQuote> {
  const no = (why: string): PaidQuote => ({ isPossible: false, why });
  if (!payer) return no("Sign in, or give an API key, to run the paid checks.");
  const offers = await readOffers(ask, payer);
  if (offers.length === 0) return no("It offers no plan that can be paid here.");
  const standings = (await readPayable(ask, payer))
    .map(({ plan, subscription }) => ({
      plan,
      left: BigInt(subscription.available),
      each: mostPerCall(subscription),
    }))
    .filter(({ left, each }) => left >= each)
    .sort((one, other) => callsIn(other) - callsIn(one));
  const [chosen] = standings;
  if (!chosen) {
    const names = offers.map(({ plan }) => `'${plan.metadata.main.name}'`).join(", ");
    return no(`You have no credits of an offered plan (${names}).`);
  }
  const { plan, left, each } = chosen;
  const all = ALL_CALLS * each;
  return {
    isPossible: true,
    planId: plan.planId,
    planName: plan.metadata.main.name,
    upTo: String(all < left ? all : left),
    left: String(left),
  };
}

type Standing = { left: bigint; each: bigint };

/** How many of the calls fit; all of them is enough, and then the offer's own order decides. */
const callsIn = ({ left, each }: Standing): number => {
  const calls = each === 0n ? ALL_CALLS : left / each;
  return Number(calls < ALL_CALLS ? calls : ALL_CALLS);
};

/** Offers of a 402 whose plan the service knows. */
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

function unlessUnknown(cause: unknown): null {
  if (PaymentsError.is(cause) && ["not_found", "invalid_input"].includes(cause.code)) return null;
  throw cause;
}
