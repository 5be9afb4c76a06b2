import type { InvalidReason } from "@turnpike/payments/protocol";
import { type Cause, payerTextOf, reasonOf, reasonText } from "./causes.ts";
import type { ReadFacts } from "./permission-facts.ts";
import { isRedeemer } from "./redeemer.ts";

type Refused = { cause: Cause; payer: string | null; facts: ReadFacts };

/** A refusal as its caller may see it. */
type Described = {
  reason: InvalidReason;
  message: string;
  cause?: string;
  detail?: string;
  payer?: string;
};

/**
 * What a refusal says, by who asks. What concerns the payer goes to the payer and to those who may redeem the plan, and
 * they may pass it on; what concerns the builder's setup goes to the plan's owner alone. Anyone else learns only the reason, so
 * that verify tells a stranger nothing about a token.
 */
export function describeRefusal({ cause, payer, facts }: Refused): Described {
  const { plan, caller } = facts;
  const reason = reasonOf(cause);
  const isOwner = plan !== null && plan.owner === caller.account;
  const isConcerned =
    isOwner || caller.account === payer || (plan !== null && isRedeemer(caller, plan));
  const payerText = isConcerned ? payerTextOf(cause) : undefined;
  return {
    reason,
    message: payerText ?? reasonText(reason),
    ...(payerText && { cause }),
    ...(isOwner && { detail: cause }),
    ...(isOwner && payer && { payer }),
  };
}
