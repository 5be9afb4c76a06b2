import type { PlanPriceConfig } from "@turnpike/payments/protocol";
import { and, eq, sql } from "drizzle-orm";
import type { PlanRecord } from "@/lib/domain/records.ts";
import type { Orm } from "./client.ts";
import { plans, planVersions, type StoredPrice } from "./schema.ts";

const redeemersOf = sql<
  string[]
>`array(select account from plan_redeemers r where r.plan_id = ${plans.planId} order by account)`;

export const planColumns = { plan: plans, terms: planVersions, redeemers: redeemersOf };
export const isNewestVersion = and(
  eq(planVersions.planId, plans.planId),
  eq(planVersions.version, plans.version),
);

/** Plans with their newest version. */
export const selectPlans = (orm: Orm) =>
  orm.select(planColumns).from(plans).innerJoin(planVersions, isNewestVersion).$dynamic();

type PlanRow = Awaited<ReturnType<typeof selectPlans>>[number];

export const fromStoredPrice = (price: StoredPrice): PlanPriceConfig => ({
  ...price,
  amounts: price.amounts.map(BigInt),
});

/** A version's credits config. */
export const readCredits = (terms: PlanRow["terms"]): PlanRecord["credits"] => ({
  isRedemptionAmountFixed: terms.isFixed,
  redemptionType: terms.redemptionType as PlanRecord["credits"]["redemptionType"],
  proofRequired: terms.proofRequired,
  holderRequired: terms.holderRequired,
  durationSecs: terms.durationSecs,
  amount: terms.granted.toString(),
  minAmount: terms.minAmount,
  maxAmount: terms.maxAmount,
  ...(terms.nftAddress && { nftAddress: terms.nftAddress }),
});

export function fromPlanRow({ plan, terms, redeemers }: PlanRow): PlanRecord {
  return {
    ...plan,
    price: fromStoredPrice(terms.price),
    credits: readCredits(terms),
    redeemers,
  };
}
