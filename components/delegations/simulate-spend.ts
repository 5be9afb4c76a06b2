import { ONE_DAY_DURATION } from "@turnpike/payments/protocol";

/** The calls under a delegation, and what one top-up buys. Money in cents. */
export type SpendPlan = {
  callsPerDay: bigint;
  creditsPerCall: bigint;
  credits: bigint;
  topUpCredits: bigint;
  topUpCents: bigint;
};

export type SpendLimits = { leftCents: bigint; chargesLeft: bigint | null; leftSecs: number };

/** The credits of a call as a person typed them, which say nothing about another plan. */
export type PerCall = { planId: string; text: string };

export const perCallOf = (
  plan: { planId: string; creditsPerCall: string },
  typed: PerCall | undefined,
): string => (typed?.planId === plan.planId ? typed.text : plan.creditsPerCall);

/** Which limit is reached first, after how many seconds, and what was used by then. */
export type Forecast = {
  endsBy: "money" | "charges" | "time" | "nothing";
  afterSecs: number;
  calls: bigint;
  topUps: bigint;
  spentCents: bigint;
};

/** How long a delegation lasts at an even rate of calls, rounded down to the second. */
export function simulateSpend(plan: SpendPlan, limits: SpendLimits): Forecast {
  const { callsPerDay, creditsPerCall, credits, topUpCredits, topUpCents } = plan;
  const leftSecs = BigInt(Math.max(0, Math.floor(limits.leftSecs)));
  const byMoney = topUpCents === 0n ? null : limits.leftCents / topUpCents;
  const { chargesLeft } = limits;
  const isCounted = chargesLeft !== null && (byMoney === null || chargesLeft < byMoney);
  const maxTopUps = topUpCredits === 0n ? 0n : isCounted ? chargesLeft : byMoney;
  const inTime = (callsPerDay * leftSecs) / ONE_DAY_DURATION;
  if (callsPerDay === 0n || creditsPerCall === 0n) {
    const afterSecs = Number(leftSecs);
    return { endsBy: "nothing", afterSecs, calls: inTime, topUps: 0n, spentCents: 0n };
  }
  const affordable =
    maxTopUps === null ? null : (credits + maxTopUps * topUpCredits) / creditsPerCall;
  const isTime = affordable === null || inTime <= affordable;
  const calls = isTime ? inTime : affordable;
  const lacking = calls * creditsPerCall - credits;
  const topUps =
    lacking <= 0n || topUpCredits === 0n ? 0n : (lacking + topUpCredits - 1n) / topUpCredits;
  return {
    endsBy: isTime ? "time" : isCounted ? "charges" : "money",
    afterSecs: isTime ? Number(leftSecs) : Number((calls * ONE_DAY_DURATION) / callsPerDay),
    calls,
    topUps,
    spentCents: topUps * topUpCents,
  };
}
