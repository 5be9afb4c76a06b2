import { priceText } from "../client/spending/purchase.ts";
import { ZERO_ADDRESS } from "../protocol/address.ts";

const MILLIONTHS = /^(USD|EUR|GBP|USDC|EURC)$/i;

export const count = (n: number | bigint | string, one: string) =>
  `${n} ${one}${String(n) === "1" ? "" : "s"}`;

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** What an order gives: credits, or access for a time; 0 seconds have no end. */
export function orderText({ accessLimit, credits = "0", durationSecs }: Ordered): string {
  if (accessLimit !== "time") return count(credits, "credit");
  if (durationSecs === 0) return "access without an end";
  const [unit, secs] = UNITS.find(([, each]) => durationSecs % each === 0) ?? UNITS[3];
  return `${count(durationSecs / secs, unit)} of access`;
}
type Ordered = { accessLimit: string | undefined; credits?: string; durationSecs: number };

export const text = (value: string | number | string[] | undefined) =>
  value === undefined ? undefined : String(value);

/** What an account has of a plan, and until when. */
export function balanceText({ planId, planName, accessLimit, ...owned }: Owned): string {
  const { available, isActive, endsAt = "" } = owned;
  const isTime = accessLimit === "time";
  const plan = `${planName} (plan ${planId})`;
  const what = isTime
    ? `${isActive ? "Access" : "No access"} with ${plan}`
    : `${count(available, "credit")} of ${plan}`;
  const end = `${endsAt.slice(0, 16).replace("T", " ")} UTC`;
  if (Date.parse(endsAt) < Date.now()) {
    return `${what}: ${isTime ? "it" : "they"} expired ${end}`;
  }
  if (endsAt && (isActive || !isTime)) return `${what} until ${end}`;
  return isTime && isActive ? `${what} without an end` : what;
}
type Owned = {
  planId: string;
  planName: string;
  accessLimit: string;
  available: bigint | string;
  isActive: boolean;
  endsAt?: string | undefined;
};

/**
 * A plan's currency and known stablecoins have six decimals, the chain's own coin 18; of other tokens, which a plan names by
 * their address, these are not known.
 */
export function moneyOf(amount: string, currency: string, isOfPlan = false) {
  if (/^\d{1,78}$/.test(amount)) {
    if (isOfPlan ? !currency.startsWith("0x") : MILLIONTHS.test(currency))
      return priceText(BigInt(amount), currency);
    if (currency === ZERO_ADDRESS) return `${etherText(amount.padStart(19, "0"))} ETH`;
  }
  return `${amount} of the smallest unit of ${currency}`;
}

const etherText = (digits: string) =>
  `${digits.slice(0, -18)}.${digits.slice(-18).replace(/0{1,16}$/, "")}`;
