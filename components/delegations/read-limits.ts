import { MAX_UINT256 } from "@turnpike/payments/protocol";
import { minorDigits } from "@/lib/console/minor-units.ts";
import { DAY_SECS } from "@/lib/text/durations.ts";
import { readMoney } from "../ui/values/money-reading.ts";
import { amountText, typedAmount } from "../ui/values/money-text.ts";

/** The limits of a delegation as they are typed; a form's values include them. */
export type LimitDraft = { limit: string; durationSecs: number; maxTransactions: string };

/** Limits as the service takes them; money in minor units of its currency. */
export type Limits = {
  spendingLimitCents: string;
  durationSecs: number;
  maxTransactions?: number;
  /** For a price in a token without a par value: all that its orders may cost, in its smallest unit. */
  orderLimit?: string;
};

/** What one order costs in a token without a par value. */
export type TokenPrice = { total: bigint; decimals: number; currency: string };

type LimitFaults = Partial<Record<keyof LimitDraft, string>>;
export type LimitReading = { limits: Limits; faults?: undefined } | { faults: LimitFaults };

const MAX_TRANSACTIONS = 1_000_000;

/** The limits on offer, in minor units: 5 to 50 dollars, or 500 to 5,000 yen. */
export const USUAL_LIMITS = [500n, 2_000n, 5_000n] as const;
/** In minor units: no currency has as much. */
const MAX_LIMIT = 10n ** 18n - 1n;

/** The limit a delegation for one plan begins with: one more order of it. */
export const usualLimit = (costCents: bigint, currency: string): string =>
  typedAmount(costCents, minorDigits(currency));

/** The same of an order that agents may repeat: it counts towards the limit, and one more fits. The amount alone limits how many. */
export const repeatLimits = (costCents: bigint, currency: string): LimitDraft => ({
  limit: usualLimit(2n * costCents, currency),
  durationSecs: 30 * DAY_SECS,
  maxTransactions: "",
});

/** The limits in a draft, or what is wrong with each field. `minCents` is what the first order costs. */
export const readLimits = (draft: LimitDraft, currency: string, minCents = 1n): LimitReading =>
  readDraft(
    draft,
    { digits: minorDigits(currency), least: minCents, most: MAX_LIMIT },
    (amount) => ({ spendingLimitCents: amount.toString() }),
  );

/** The same for a plan that is priced in a token without a par value. */
export const readTokenLimits = (draft: LimitDraft, { decimals, total }: TokenPrice): LimitReading =>
  readDraft(draft, { digits: decimals, least: total, most: MAX_UINT256 }, (amount) => ({
    spendingLimitCents: "0",
    orderLimit: amount.toString(),
  }));

function readDraft(
  draft: LimitDraft,
  { digits, least, most }: { digits: number; least: bigint; most: bigint },
  limitOf: (amount: bigint) => Pick<Limits, "spendingLimitCents" | "orderLimit">,
): LimitReading {
  const faults: LimitFaults = {};
  const money = readMoney(draft.limit, digits);
  if (!money.isAmount) faults.limit = money.fault;
  else if (money.amount === 0n) faults.limit = "Enter an amount above zero.";
  else if (money.amount < least) faults.limit = "This is less than one order costs.";
  else if (money.amount > most) faults.limit = `Enter ${amountText(most, digits)} or less.`;
  const counted = draft.maxTransactions.trim();
  const isCount = /^[1-9]\d{0,6}$/.test(counted) && Number(counted) <= MAX_TRANSACTIONS;
  if (counted !== "" && !isCount)
    faults.maxTransactions = "Enter a whole number, or leave it empty.";
  if (!money.isAmount || Object.keys(faults).length > 0) return { faults };
  return {
    limits: {
      ...limitOf(money.amount),
      durationSecs: draft.durationSecs,
      ...(counted !== "" && { maxTransactions: Number(counted) }),
    },
  };
}

/** The field a wrong limit belongs to, by its path in an operation's input. */
export const fieldOfLimit = (path: string): "limit" | undefined =>
  /(spendingLimitCents|orderLimit)$/.test(path) ? "limit" : undefined;
