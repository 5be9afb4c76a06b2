import { PlanRedemptionType } from "@turnpike/payments/protocol";
import { MONTH_SECS } from "@/lib/text/durations.ts";
import type { Market } from "../market.ts";
import { RAILS, type Rail } from "../rails.ts";

export const KINDS = ["perCall", "flexible", "timePass", "trial"] as const;
export type PlanKind = (typeof KINDS)[number];

export const CREDITS_KINDS = ["fixed", "dynamic", "time"] as const;
export type CreditsKind = (typeof CREDITS_KINDS)[number];

/**
 * The fields of the plan builder, as text. Fields of choices that are not selected keep their text, so
 * that going back loses nothing.
 */
export type PlanDraft = {
  kind: PlanKind;
  rail: Rail;
  cardCurrency: string;
  /** The symbol of one of the market's stablecoins. */
  stablecoin: string;
  tokenAddress: string;
  tokenDecimals: string;
  /** Cards pay the first only; on chain, all are paid. */
  receivers: { address: string; amount: string }[];
  /** How a free trial is metered; the other kinds imply it. */
  trialCredits: CreditsKind;
  granted: string;
  perCall: string;
  least: string;
  most: string;
  /** Whole seconds; 0 never expires, null is invalid. */
  durationSecs: number | null;
  redemptionType: PlanRedemptionType;
  /** Accounts that can redeem, one per line. */
  redeemers: string;
  proofRequired: boolean;
  holderRequired: boolean;
  nftAddress: string;
  name: string;
  description: string;
  tags: string;
  author: string;
  license: string;
  sampleLink: string;
  /** Whole days as text; empty for none. */
  refundUnusedDays: string;
  refundFailedCalls: boolean;
  state: "listed" | "unlisted" | "draft";
  /** The seed of the nonce that is sent: the same terms sent twice are one plan, and other terms are another. */
  nonce: string;
};

/** A draft that needs only a name before it can be created. */
export function newDraft(market: Market, nonce: string): PlanDraft {
  const stablecoin = market.tokens.find(({ isStable }) => isStable)?.symbol;
  return {
    kind: "perCall",
    rail: stablecoin ? "stablecoin" : "card",
    cardCurrency: "USD",
    stablecoin: stablecoin ?? "",
    tokenAddress: "",
    tokenDecimals: "18",
    receivers: [{ address: market.ownAddress ?? "", amount: "10.00" }],
    trialCredits: "fixed",
    granted: "100",
    perCall: "1",
    least: "1",
    most: "10",
    durationSecs: MONTH_SECS,
    redemptionType: PlanRedemptionType.ONLY_SUBSCRIBER,
    redeemers: "",
    proofRequired: false,
    holderRequired: false,
    nftAddress: "",
    name: "",
    description: "",
    tags: "",
    author: "",
    license: "",
    sampleLink: "",
    refundUnusedDays: "",
    refundFailedCalls: false,
    state: "listed",
    nonce,
  };
}

/** The rail of the draft's price. A free trial has none, whatever was chosen before. */
export const railOf = ({ kind, rail }: Pick<PlanDraft, "kind" | "rail">): Rail =>
  kind === "trial" ? "free" : rail;

/** What an amount on this rail is counted in; card and stablecoin amounts are worth the same. */
const countOf = (rail: Rail): Rail => (rail === "card" ? "stablecoin" : rail);

/** The amounts of each rail that was left, by what they were counted in. */
export type KeptAmounts = Partial<Record<Rail, string[]>>;

/**
 * The amounts to show after the rail changes. A number never becomes one of another currency: amounts of the rail
 * that was left are kept for when it is chosen again, and another currency begins empty.
 */
export function amountsOnRail(
  { rail: from, receivers }: Pick<PlanDraft, "rail" | "receivers">,
  to: Rail,
  kept: KeptAmounts,
): { amounts: string[]; kept: KeptAmounts } {
  const now = receivers.map(({ amount }) => amount);
  const all = from === "free" ? kept : { ...kept, [countOf(from)]: now };
  if (to === "free" || countOf(from) === countOf(to)) return { amounts: now, kept: all };
  const known = all[countOf(to)];
  return { amounts: now.map((_, index) => known?.[index] ?? ""), kept: all };
}

export function creditsKindOf({
  kind,
  trialCredits,
}: Pick<PlanDraft, "kind" | "trialCredits">): CreditsKind {
  if (kind === "trial") return trialCredits;
  return ({ perCall: "fixed", flexible: "dynamic", timePass: "time" } as const)[kind];
}

/** Restores a kept draft. Invalid fields take their default. */
export function restoreDraft(kept: unknown, fresh: PlanDraft): PlanDraft {
  if (typeof kept !== "object" || kept === null) return fresh;
  const entries = Object.entries(fresh).map(([key, usual]) => {
    const value: unknown = (kept as Record<string, unknown>)[key];
    return [key, isLike(key, value, usual) ? value : usual];
  });
  return Object.fromEntries(entries) as PlanDraft;
}

const CHOICES: Record<string, readonly unknown[]> = {
  kind: KINDS,
  rail: RAILS,
  trialCredits: CREDITS_KINDS,
  redemptionType: Object.values(PlanRedemptionType),
  state: ["listed", "unlisted", "draft"],
};

function isLike(key: string, value: unknown, usual: unknown): boolean {
  if (CHOICES[key]) return CHOICES[key].includes(value);
  if (key === "receivers") return isReceivers(value);
  if (key === "durationSecs") return value === null || Number.isSafeInteger(value);
  return typeof value === typeof usual;
}

const isReceivers = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= 16 &&
  value.every((one) => typeof one?.address === "string" && typeof one?.amount === "string");
