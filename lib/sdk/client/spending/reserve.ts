import { type Cents, notAllowed, type Purchase } from "./purchase.ts";
import { createSpendStore, type SpendStore } from "./spend-store.ts";

/**
 * Counts a purchase before it is made; the function it answers takes back cents that were not spent. Throws
 * `spending_not_allowed` for a purchase that exceeds a limit, or that no limit allows. One that the day's spending leaves no
 * room for is tried again once `closing` has taken back what it can. A call that was counted before is not counted again.
 */
export type Reserve = (
  purchase: Purchase,
  maxSpend: Cents | undefined,
  closing?: Promise<unknown> | null,
) => Promise<GiveBack>;

export type GiveBack = (cents: bigint) => Promise<void>;

/** An instance's limits, and the most one call may spend. */
type Limits = {
  account: string;
  unit: string;
  day: bigint | undefined;
  seller: bigint | undefined;
  ceiling(maxSpend: Cents | undefined): bigint | undefined;
  limitsOf(maxSpend: Cents | undefined): [string, bigint | undefined][];
};

/** Counts purchases; loaded with the first one. */
export function createReserve(
  { account, unit, day, seller, limitsOf, ceiling }: Limits,
  store: SpendStore = createSpendStore(),
): Reserve {
  return async function reserve(purchase, maxSpend, closing) {
    const refuse = (why: string): never => {
      throw notAllowed(purchase, why);
    };
    const most = ceiling(maxSpend);
    if (most === undefined)
      return refuse(`To allow it, pass \`maxSpend: ${purchase.cents}n\`, in cents.`);
    if (purchase.currency !== unit) return refuse(`\`maxSpend\` counts ${unit.toUpperCase()}.`);
    if (purchase.cents > most) {
      const [name] = limitsOf(maxSpend).find(([, cents]) => cents === most) ?? [];
      return refuse(`\`${name}\` allows ${most} cents; this needs ${purchase.cents}.`);
    }
    const today = `${account}/${unit}/${new Date().toISOString().slice(0, 10)}`;
    const expiresAt = nextMidnight();
    const counters = [
      { key: today, limit: day, expiresAt },
      // Sellers write their own address in a 402, in any spelling.
      { key: `${today}/${purchase.seller.toLowerCase()}`, limit: seller, expiresAt },
    ].flatMap(({ limit, ...counter }) => (limit === undefined ? [] : [{ ...counter, limit }]));
    const { cents, call } = purchase;
    const named =
      call && counters[0] ? [{ key: `${today}/${cents}/${call}`, limit: cents, expiresAt }] : [];
    if (!(await store.add([...counters, ...named], cents))) {
      // Nothing is added where it only asks whether the call is counted already.
      const asked = named.map((counter) => ({ ...counter, limit: cents - 1n }));
      if (named[0] && !(await store.add(asked, 0n))) return async () => {};
      if (closing) {
        await closing;
        return reserve(purchase, maxSpend, null);
      }
      const names = [day && "perDay", seller && "perSeller"].filter(Boolean).join("` or `");
      return refuse(
        `With it, today's spending would exceed \`maxSpend.${names}\`. The day ends at 00:00 UTC.`,
      );
    }
    const keys = [...counters, ...named].map(({ key }) => key);
    return (cents) => store.subtract(keys, cents);
  };
}

/** The end of this day in UTC. */
export function nextMidnight(): Date {
  const end = new Date();
  end.setUTCHours(24, 0, 0, 0);
  return end;
}
