import { PlanRedemptionType } from "@turnpike/payments/protocol";
import { durationText } from "../ui/fields/duration-text.ts";
import { amountText, groupDigits } from "../ui/values/money-text.ts";
import type { CreditsKind, PlanKind } from "./builder/plan-draft.ts";
import type { Unit } from "./market.ts";

export const KIND_WORDS: Record<PlanKind, string> = {
  perCall: "Pay per call",
  flexible: "Flexible per call",
  timePass: "Time pass",
  trial: "Free trial",
};

export const CREDITS_WORDS: Record<CreditsKind, string> = {
  fixed: "Fixed per call",
  dynamic: "Flexible per call",
  time: "For a time",
};

/** Who may use a plan's credits, in the order they are offered, with what follows from it. */
export const REDEMPTIONS: readonly { type: PlanRedemptionType; who: string; follows: string }[] = [
  {
    type: PlanRedemptionType.ONLY_SUBSCRIBER,
    who: "Only the subscriber",
    follows: "Each call needs the subscriber’s own access token. Nobody else can use the credits.",
  },
  {
    type: PlanRedemptionType.ONLY_OWNER,
    who: "You, for a subscriber",
    follows:
      "Your account settles calls without the subscriber’s access token. They trust you to count.",
  },
  {
    type: PlanRedemptionType.ONLY_PLAN_ROLE,
    who: "Accounts you name",
    follows:
      "Each account you name can use any subscriber’s credits of this plan until you remove it.",
  },
  {
    type: PlanRedemptionType.ONLY_GLOBAL_ROLE,
    who: "The operator",
    follows: "Only who runs this deployment can use credits. You cannot settle calls yourself.",
  },
];

export const redemptionWords = (type: PlanRedemptionType): string =>
  REDEMPTIONS.find((one) => one.type === type)?.who ?? String(type);

export const proofWords = (isRequired: boolean): string =>
  isRequired ? "Each call waits for its proof on chain" : "No proof per call";

/** An amount in its unit: `25.00 USDC`; of a token nobody described, its smallest units. */
export function amountWords(amount: bigint, { symbol, decimals }: Unit): string {
  if (decimals === undefined) return `${groupDigits(amount)} units of ${symbol}`;
  return `${amountText(amount, decimals)} ${symbol}`;
}

/** The smallest unit of an amount, as the machine reads it. */
export function rawWords(amount: bigint, { decimals }: Unit): string {
  const grouped = groupDigits(amount);
  if (decimals === undefined) return grouped;
  return `${grouped} (${decimals} ${decimals === 1 ? "decimal" : "decimals"})`;
}

export const creditsWords = (credits: bigint): string =>
  `${groupDigits(credits)} ${credits === 1n ? "credit" : "credits"}`;

export const callsWords = (calls: bigint): string =>
  `${groupDigits(calls)} ${calls === 1n ? "call" : "calls"}`;

/** A length as one reads it: `30 d`; nothing for what never ends. */
export const lengthWords = (durationSecs: bigint): string =>
  durationSecs === 0n ? "Never ends" : durationText(Number(durationSecs));
