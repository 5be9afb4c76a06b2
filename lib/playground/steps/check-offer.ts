import type { PaymentOffer, X402PaymentRequired } from "@turnpike/payments/protocol";
import type { Exchange } from "../exchange.ts";
import { readOffer } from "./read-offer.ts";
import type { StepContext, StepEnd } from "./step.ts";

/** What the agent asks for, with the offers this product can pay. */
export type Offer = {
  requirement: X402PaymentRequired;
  payable: readonly [PaymentOffer, ...PaymentOffer[]];
};

/** Step 2: reads the offer of the 402 and names the plans it asks for. */
export async function checkOffer(
  { service }: StepContext,
  unpaid: Exchange,
): Promise<StepEnd<Offer>> {
  const { outcome, values, facts, requirement, payable } = readOffer(unpaid);
  const plans = await Promise.all(
    payable.map(async ({ planId, extra }) => {
      const id = planId ?? extra?.planId ?? "";
      const plan = await service.readPlan(id).catch(() => null);
      return plan ? `“${plan.metadata.main.name}”` : `plan ${id} (unknown to this service)`;
    }),
  );
  const [first, ...others] = payable;
  return {
    outcome,
    values: { ...values, plans: plans.join(", ") },
    facts,
    changes: { requirement },
    found: requirement && first ? { requirement, payable: [first, ...others] } : null,
  };
}
