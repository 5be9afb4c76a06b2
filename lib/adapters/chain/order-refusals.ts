/** Why an order was refused. A refused order has taken no money. */
export type OrderRefusal = keyof typeof advice;

/** What the subscriber can do about each refusal. */
const advice = {
  insufficient_funds: "Send the missing amount to this account on chain, then order again.",
  paused: "Orders are paused on chain. Order again later.",
  wrong_token:
    "This deployment does not support the plan's token. Ask the plan's owner for another price.",
  price_changed: "The plan's price has changed. Check it, then order again.",
  limit_exceeded: "The delegation's on-chain limit is used up. Create one with a higher limit.",
  grant_revoked: "The delegation was revoked on chain. Create a new one.",
  grant_ended: "The delegation has expired on chain. Create a new one.",
  not_permitted: "The delegation does not cover this plan. Create one that does.",
  already_ordered: "This plan can be ordered once per account, and this account already has.",
  plan_unknown: "The plan is not sold on chain.",
  failed: "The chain rejected the order. Try again, or contact the plan's owner.",
};

/** A refusal as a sentence: what went wrong and what to do. */
export function describeRefusal(reason: OrderRefusal, detail: string): string {
  // Two expressions: one for both takes time in the square of a text that a contract wrote.
  const isSentence = /^[A-Z].*\.$/.test(detail) && /\s/.test(detail);
  return isSentence ? `${detail} ${advice[reason]}` : advice[reason];
}
