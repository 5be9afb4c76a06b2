import { totalOf } from "@turnpike/payments/protocol";
import { requireFreshProof } from "../accounts/fresh-proof.ts";
import { type Context, requireCaller } from "../context.ts";
import type { PlanRecord } from "../records.ts";

type Price = Pick<PlanRecord["price"], "amounts" | "receivers">;
type Payees = { price: Price; redeemers: string[] };

/**
 * Asks for a fresh proof of who the caller is where an address that isn't theirs gets a larger share of a plan's sales, or
 * begins to charge its subscribers. A new plan is compared with one of theirs alone.
 */
export function requireProofOfPayees(context: Context, after: Payees, before?: Payees): void {
  const caller = requireCaller(context);
  const own = caller.account.toLowerCase();
  const { price, redeemers } = before ?? {
    price: { amounts: [1n], receivers: [own] },
    redeemers: [],
  };
  const had = sharesOf(price);
  const isPaidMore = [...sharesOf(after.price)].some(
    ([receiver, amount]) =>
      receiver !== own &&
      amount * totalOf(price) > (had.get(receiver) ?? 0n) * totalOf(after.price),
  );
  const known = new Set([own, ...redeemers.map(lower)]);
  if (isPaidMore || !after.redeemers.every((one) => known.has(lower(one))))
    requireFreshProof(caller);
}

const lower = (address: string) => address.toLowerCase();

/** What each receiver gets of one order. */
function sharesOf({ amounts, receivers }: Price): Map<string, bigint> {
  const shares = new Map<string, bigint>();
  for (const [index, receiver] of receivers.map(lower).entries())
    shares.set(receiver, (shares.get(receiver) ?? 0n) + (amounts[index] ?? 0n));
  return shares;
}
