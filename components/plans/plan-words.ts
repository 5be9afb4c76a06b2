import { PlanRedemptionType } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { durationWords } from "../ui/fields/duration-text.ts";
import { groupDigits, moneyText } from "../ui/values/money-text.ts";
import type { CreditsKind, PlanKind } from "./builder/plan-draft.ts";
import type { Unit } from "./market.ts";
import type { PlanTexts } from "./plan-types.ts";

export const KIND_WORDS: Record<PlanKind, string> = {
  perCall: "Pay per call",
  flexible: "Flexible per call",
  timePass: "Time pass",
  trial: "Free trial",
};

export const CREDITS_WORDS: Record<CreditsKind, string> = {
  fixed: "Fixed per call",
  dynamic: "Flexible per call",
  time: "Time-based",
};

/** Who can use a plan's credits, in the order of the form, with the consequences. */
export const REDEMPTIONS: readonly { type: PlanRedemptionType; who: string; follows: string }[] = [
  {
    type: PlanRedemptionType.ONLY_SUBSCRIBER,
    who: "Only the subscriber",
    follows: "Each call needs the subscriber’s own access token. No one else can use the credits.",
  },
  {
    type: PlanRedemptionType.ONLY_OWNER,
    who: "You, for a subscriber",
    follows:
      "Your account settles calls with any of the subscriber’s access tokens, even one that isn’t allowed to burn credits. Subscribers trust your metering.",
  },
  {
    type: PlanRedemptionType.ONLY_PLAN_ROLE,
    who: "Selected accounts",
    follows:
      "Each selected account can charge calls with a subscriber’s access token until you remove it. Your own account can’t, unless you select it.",
  },
  {
    type: PlanRedemptionType.ONLY_GLOBAL_ROLE,
    who: "The operator",
    follows:
      "Only the operator of this deployment can use credits. You can’t settle calls yourself.",
  },
];

export const redemptionWords = (type: PlanRedemptionType): string =>
  REDEMPTIONS.find((one) => one.type === type)?.who ?? String(type);

/** What asks for a fresh sign-in. */
export const PAYEES_CHANGE = "Paying another address or letting it use credits";

export const proofWords = (isRequired: boolean): string =>
  isRequired ? "Each call waits for an on-chain proof" : "No proof per call";

export const holderWords = (isRequired: boolean): string =>
  isRequired ? "Only tokens bound to a key" : "Bound to a key, or bearer";

/** What the plan refunds automatically: `Unused credits within 14 days, and failed calls within 30 days`, for which reports are kept at least. */
export function refundWords({
  refundUnusedDays: days = 0,
  refundFailedCalls,
}: Pick<PlanTexts, "refundUnusedDays" | "refundFailedCalls">): string {
  const unused = days > 0 ? `Unused credits within ${plural(days, "day")}` : "";
  if (!refundFailedCalls) return unused || "At the seller’s discretion";
  return unused ? `${unused}, and failed calls within 30 days` : "Failed calls within 30 days";
}

/** An amount in its unit: `25.00 USDC`; in smallest units where the decimals are unknown. */
export function amountWords(amount: bigint, { symbol, decimals }: Unit): string {
  if (decimals === undefined) return `${plural(BigInt(amount), "unit")} of ${symbol}`;
  return moneyText(amount, decimals, symbol);
}

export function rawWords(amount: bigint, { decimals }: Unit): string {
  const grouped = groupDigits(amount);
  if (decimals === undefined) return grouped;
  return `${grouped} (${plural(decimals, "decimal")})`;
}

export const creditsWords = (credits: bigint): string => plural(credits, "credit");

export const callsWords = (calls: bigint): string => plural(calls, "call");

/** A duration: `30 days`, or that it never expires. */
export const lengthWords = (durationSecs: bigint): string =>
  durationSecs === 0n ? "Never expires" : durationWords(Number(durationSecs));
