import type { InputOf } from "@turnpike/payments/protocol";
import { DAY_SECS } from "@/lib/text/durations.ts";
import type { PlanPrice } from "./plan-price.ts";

export const checkoutGrant = (
  planId: string,
  { cents, total }: Pick<PlanPrice, "cents" | "total">,
): InputOf<"createDelegation"> => ({
  provider: "erc4337",
  planIds: [planId],
  spendingLimitCents: (cents ?? 0n).toString(),
  ...(cents === null && { orderLimit: total.toString() }),
  // Tokens may use the credits of this one order for a week.
  durationSecs: 7 * DAY_SECS,
  maxTransactions: 1,
  name: "Checkout",
});
