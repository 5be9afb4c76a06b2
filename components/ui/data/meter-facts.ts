import { plural } from "@/lib/text/plural.ts";
import { durationText } from "../fields/duration-text.ts";

export type MeterLimits = {
  spendingLimitCents: bigint;
  amountSpentCents: bigint;
  /** Reserved for calls in progress. */
  amountReservedCents: bigint;
  transactionCount?: number;
  maxTransactions?: number;
  createdAt?: string;
  expiresAt?: string;
};

type MeterTone = "plain" | "warn" | "full";

/** The used share of a limit, in percent with two decimals. */
export type MeterShare = { percent: number; tone: MeterTone };

export type MeterFacts = {
  spent: MeterShare;
  reservedPercent: number;
  remainingCents: bigint;
  count?: MeterShare & { text: string };
  time?: MeterShare & { text: string };
  nearest: "money" | "count" | "time";
};

/** From this share on, a limit is shown as running out. */
const WARN_PERCENT = 80;
const FULL_PERCENT = 100;

/** How much of a delegation's three limits is used at a moment, and which is reached first. */
export function measureMeter(limits: MeterLimits, now: Date): MeterFacts {
  const { spendingLimitCents: limit, amountSpentCents, amountReservedCents } = limits;
  const spentPercent = percentOf(amountSpentCents, limit);
  const usedPercent = percentOf(amountSpentCents + amountReservedCents, limit);
  const count = countShare(limits);
  const time = timeShare(limits, now);
  const remaining = limit - amountSpentCents - amountReservedCents;
  const shares = [
    { name: "count" as const, percent: count?.percent ?? -1 },
    { name: "time" as const, percent: time?.percent ?? -1 },
    { name: "money" as const, percent: usedPercent },
  ];
  const most = Math.max(...shares.map(({ percent }) => percent));
  return {
    spent: { percent: spentPercent, tone: toneOf(spentPercent) },
    reservedPercent: Math.max(0, usedPercent - spentPercent),
    remainingCents: remaining > 0n ? remaining : 0n,
    count,
    time,
    nearest: shares.find(({ percent }) => percent === most)?.name ?? "money",
  };
}

/** Of a limit of zero, as for free plans, nothing can be used up. */
function percentOf(part: bigint, whole: bigint): number {
  if (whole <= 0n) return part > 0n ? FULL_PERCENT : 0;
  const hundredths = (part * 10_000n) / whole;
  return Number(hundredths > 10_000n ? 10_000n : hundredths) / 100;
}

function countShare({ transactionCount = 0, maxTransactions }: MeterLimits) {
  if (maxTransactions === undefined) return undefined;
  const percent = percentOf(BigInt(transactionCount), BigInt(maxTransactions));
  return {
    percent,
    tone: toneOf(percent),
    text: `${transactionCount} of ${plural(maxTransactions, "charge")}`,
  };
}

function timeShare({ createdAt, expiresAt }: MeterLimits, now: Date) {
  if (expiresAt === undefined) return undefined;
  const end = Date.parse(expiresAt);
  const leftMs = end - now.getTime();
  if (leftMs <= 0) return { percent: FULL_PERCENT, tone: toneOf(FULL_PERCENT), text: "Expired" };
  const start = createdAt === undefined ? now.getTime() : Date.parse(createdAt);
  const percent = percentOf(BigInt(now.getTime() - start), BigInt(end - start));
  return {
    percent: Math.max(0, percent),
    tone: toneOf(percent),
    text: `${durationText(leftMs / 1_000)} left`,
  };
}

/** With a code that is said once: `5.00 of 20.00 USDC`. */
export const shareText = (part: string, whole: string): string =>
  `${part.replace(/ \w+$/, "")} of ${whole}`;

const toneOf = (percent: number): MeterTone =>
  percent >= FULL_PERCENT ? "full" : percent >= WARN_PERCENT ? "warn" : "plain";
