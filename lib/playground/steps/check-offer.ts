import {
  isExactOffer,
  type PaymentOffer,
  planIdOf,
  type X402PaymentRequired,
} from "@turnpike/payments/protocol";
import type { Exchange } from "../exchange.ts";
import { directCost, planCost } from "../offer-cost.ts";
import { fact } from "../run.ts";
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
  const read = await Promise.all(
    payable.map(async (offer, index) => {
      const id = planIdOf(offer) ?? "";
      if (isExactOffer(offer)) {
        const cost = fact("cost", directCost(offer), null, "what one call costs");
        return { name: `${cost.value} by exact`, cost };
      }
      const found = await service.readPlan(id).catch(() => undefined);
      const plan = found ?? null;
      const why = found === null ? "unknown to this service" : "could not be read";
      const name = plan ? `“${plan.metadata.main.name}”` : `plan ${id} (${why})`;
      const note = "what one call costs at most";
      return { name, cost: fact(`accepts[${index}].cost`, planCost(offer, plan), null, note) };
    }),
  );
  const plans = read.map(({ name }) => name);
  const [first, ...others] = payable;
  return {
    outcome,
    values: { ...values, plans: plans.join(", ") },
    facts: [...read.map(({ cost }) => cost), ...facts],
    changes: { requirement },
    found: requirement && first ? { requirement, payable: [first, ...others] } : null,
  };
}
