import { PaymentsError } from "../../protocol/errors.ts";
import { readAmount } from "../read-amount.ts";
import type { Purchase } from "./purchase.ts";
import { createSpendStore, type SpendStore } from "./spend-store.ts";

/** Minor units of a currency: cents, as a `bigint` or a decimal string. */
export type Cents = bigint | string;

/** The maximum an instance spends on orders, in cents of `currency`. Days are UTC. */
export type SpendLimits = {
  /** For one call of `fetch`, or one minted token. */
  perCall?: Cents;
  /** For all calls of a day. The service enforces it too, for all processes of the account. */
  perDay?: Cents;
  /** For all calls of a day that pay one seller. */
  perSeller?: Cents;
  /** What the limits count, default `usd`. A plan priced in another currency is not bought. */
  currency?: string;
};

/** The limits of an instance, and what it has spent of them. */
export type Spending = {
  readonly perDay: bigint | undefined;
  /** The most one call may spend; undefined when nothing limits it. */
  ceiling(maxSpend: Cents | undefined): bigint | undefined;
  /**
   * Counts a purchase before it is made; the function it answers takes back cents that were not spent. Throws
   * `spending_not_allowed` for a purchase that exceeds a limit, or that no limit allows. One that the day's spending leaves no
   * room for is tried again once `closing` has taken back what it can.
   */
  reserve(
    purchase: Purchase,
    maxSpend: Cents | undefined,
    closing?: Promise<unknown> | null,
  ): Promise<GiveBack>;
};

export type GiveBack = (cents: bigint) => Promise<void>;

/** The spending of one account's instance. Throws `invalid_input` for limits that are written wrongly. */
export function createSpending(
  account: string,
  limits: SpendLimits = {},
  store: SpendStore = createSpendStore(),
): Spending {
  checkNames(limits);
  const { perCall, perDay, perSeller, currency = "usd" } = limits;
  const call = readCents("maxSpend.perCall", perCall);
  const day = readCents("maxSpend.perDay", perDay);
  const seller = readCents("maxSpend.perSeller", perSeller);
  const unit = currency.toLowerCase();
  const limitsOf = (maxSpend: Cents | undefined): [string, bigint | undefined][] => [
    ["maxSpend", readCents("maxSpend", maxSpend)],
    ["maxSpend.perCall", call],
    ["maxSpend.perDay", day],
    ["maxSpend.perSeller", seller],
  ];
  const ceiling = (maxSpend: Cents | undefined) =>
    limitsOf(maxSpend)
      .map(([, cents]) => cents)
      .reduce(least, undefined);

  return {
    perDay: day,
    ceiling,
    async reserve(purchase, maxSpend, closing) {
      const refuse = async (why: string): Promise<never> => {
        throw (await import("./purchase.ts")).notAllowed(purchase, why);
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
      if (!(await store.add(counters, purchase.cents))) {
        if (closing) {
          await closing;
          return this.reserve(purchase, maxSpend);
        }
        const names = [day && "perDay", seller && "perSeller"].filter(Boolean).join("` or `");
        return refuse(
          `With it, today's spending would exceed \`maxSpend.${names}\`. The day ends at 00:00 UTC.`,
        );
      }
      const keys = counters.map(({ key }) => key);
      return (cents) => store.subtract(keys, cents);
    },
  };
}

const readCents = (name: string, cents: Cents | undefined): bigint | undefined =>
  cents === undefined ? undefined : readAmount(name, cents);

const NAMES = ["perCall", "perDay", "perSeller", "currency"];

/** A limit under another name, or an amount alone as `fetch` takes it, would limit nothing. */
function checkNames(limits: unknown) {
  const isObject = typeof limits === "object" && limits !== null && !Array.isArray(limits);
  const wrong = (isObject ? Object.keys(limits) : [""]).find((name) => !NAMES.includes(name));
  if (wrong === undefined) return;
  throw new PaymentsError(
    "invalid_input",
    `maxSpend${wrong && `.${wrong}`}: Expected limits by name, of ${NAMES.join(", ")}.`,
  );
}

const least = (a: bigint | undefined, b: bigint | undefined) =>
  a === undefined || (b !== undefined && b < a) ? b : a;

/** The end of this day in UTC. */
export function nextMidnight(): Date {
  const end = new Date();
  end.setUTCHours(24, 0, 0, 0);
  return end;
}
