import type { OrderRefusal } from "./order.ts";

/** What the one who orders can do about each refusal; a refused order has taken no money. */
const advice: Record<OrderRefusal, string> = {
  insufficient_funds: "Send the missing amount to this account on chain, then order again.",
  paused: "Orders are paused on chain. Order again later.",
  wrong_token: "The plan's token cannot be paid with here. Ask the plan's owner for another price.",
  price_changed: "Look at the plan's price again, then order.",
  limit_exceeded: "The delegation's limit on chain is used up. Create another with a higher limit.",
  grant_revoked: "The delegation was revoked on chain. Create another.",
  grant_ended: "The delegation has ended on chain. Create another.",
  not_permitted: "The delegation does not cover this plan. Create one that does.",
  already_ordered: "This account has ordered the plan before, and it is sold once per account.",
  plan_unknown: "The plan is not sold on chain.",
  failed: "The chain refused the order. Try again, or ask the plan's owner.",
};

/** A refusal in plain words: what was wrong and what to do. */
export function describeRefusal(reason: OrderRefusal, detail: string): string {
  const isSentence = /^[A-Z].*\s.*\.$/.test(detail);
  return isSentence ? `${detail} ${advice[reason]}` : advice[reason];
}
