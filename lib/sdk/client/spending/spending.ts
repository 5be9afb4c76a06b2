import { readAmount } from "../read-amount.ts";
import { checkNames } from "./check-names.ts";
import type { Cents } from "./purchase.ts";
import type { Reserve } from "./reserve.ts";
import type { SpendStore } from "./spend-store.ts";

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
  reserve: Reserve;
};

/** The spending of one account's instance. Throws `invalid_input` for limits that are written wrongly. */
export function createSpending(
  account: string,
  limits: SpendLimits = {},
  store?: SpendStore,
): Spending {
  // An amount alone, as `fetch` takes it, would limit nothing.
  checkNames("maxSpend", limits, NAMES);
  const { perCall, perDay, perSeller, currency = "usd" } = limits;
  const call = readCents("maxSpend.perCall", perCall);
  const day = readCents("maxSpend.perDay", perDay);
  const seller = readCents("maxSpend.perSeller", perSeller);
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
  const unit = currency.toLowerCase();
  let reserve: Promise<Reserve> | undefined;

  return {
    perDay: day,
    ceiling,
    async reserve(...purchase) {
      reserve ??= import("./reserve.ts").then(({ createReserve }) =>
        createReserve({ account, unit, day, seller, limitsOf, ceiling }, store),
      );
      return (await reserve)(...purchase);
    },
  };
}

const readCents = (name: string, cents: Cents | undefined): bigint | undefined =>
  cents === undefined ? undefined : readAmount(name, cents);

const NAMES = ["perCall", "perDay", "perSeller", "currency"];

const least = (a: bigint | undefined, b: bigint | undefined) =>
  a === undefined || (b !== undefined && b < a) ? b : a;
