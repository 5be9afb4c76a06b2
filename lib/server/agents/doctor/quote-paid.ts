import "server-only";
import {
  type PaymentOffer,
  PaymentsError,
  type Plan,
  planIdOf,
  X402PaymentRequired,
} from "@turnpike/payments/protocol";
import type { PaidQuote } from "@/lib/doctor/report.ts";
import { envelopeOf } from "../checks/check.ts";
import type { Exchange } from "../exchange.ts";
import type { Payer } from "./payer.ts";

/** Calls that paid checks make at most; each is charged once at most. */
export const PAID_CALLS = { first: 3, limited: 1, parallel: 20, unsettled: 1 } as const;
const ALL_CALLS = BigInt(Object.values(PAID_CALLS).reduce((sum, calls) => sum + calls, 0));

/** An offer that can be paid, with its plan. */
export type Payable = { offer: PaymentOffer; plan: Plan; requirement: X402PaymentRequired };

/** The most credits one call can take, whatever the agent asks for. */
export const mostPerCall = ({ metadata, registry }: Plan): bigint =>
  metadata.plan.accessLimit === "time" ? 0n : BigInt(registry.credits.maxAmount);

/** Offers of a 402 whose plan the service knows. */
export async function readPayable(
  ask: Exchange,
  { call }: Pick<Payer, "call">,
): Promise<Payable[]> {
  const parsed = X402PaymentRequired.safeParse(envelopeOf(ask));
  if (!parsed.success) return [];
  const found = await Promise.all(
    parsed.data.accepts.map(async (offer) => {
      const planId = planIdOf(offer);
      const plan = planId ? await call("getPlan", { planId }).catch(unlessUnknown) : null;
      return plan ? [{ offer, plan, requirement: parsed.data }] : [];
    }),
  );
  return found.flat();
}

/** What paid checks would cost the payer: on the plan with enough left, else on that with most. */
export async function quotePaid(ask: Exchange, payer: Payer | null): Promise<PaidQuote> {
  const no = (why: string): PaidQuote => ({ isPossible: false, why });
  if (!payer) return no("Sign in, or give an API key, to run the paid checks.");
  const payable = await readPayable(ask, payer);
  if (payable.length === 0) return no("It offers no plan that can be paid here.");
  const standings = await Promise.all(
    payable.map(async ({ plan }) => {
      const { planId } = plan;
      const balance = await payer.call("getPlanBalance", { planId, holderAddress: payer.account });
      const left = BigInt(balance.balance) - BigInt(balance.held);
      return { plan, isSubscriber: balance.isSubscriber, left, each: mostPerCall(plan) };
    }),
  );
  const usable = standings
    .filter(({ isSubscriber, left, each }) => isSubscriber && left >= each)
    .sort((one, other) => Number(other.left / max(other.each, 1n) - one.left / max(one.each, 1n)));
  const chosen = usable.find(({ left, each }) => left >= ALL_CALLS * each) ?? usable[0];
  if (!chosen) {
    const names = payable.map(({ plan }) => `'${plan.metadata.main.name}'`).join(", ");
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

const max = (one: bigint, other: bigint) => (one > other ? one : other);

function unlessUnknown(cause: unknown): null {
  if (PaymentsError.is(cause) && ["not_found", "invalid_input"].includes(cause.code)) return null;
  throw cause;
}
