/** Where a plan's price comes from (§2.12). */
export const PlanPriceType = {
  FIXED_PRICE: 0,
  FIXED_FIAT_PRICE: 1,
  SMART_CONTRACT_PRICE: 2,
} as const;

/** What kind of credits a plan grants (§2.12). */
export const PlanCreditsType = { EXPIRABLE: 0, FIXED: 1, DYNAMIC: 2 } as const;

/** Who may redeem a plan's credits (§2.12). The value 3 is not used. */
export const PlanRedemptionType = {
  ONLY_GLOBAL_ROLE: 0,
  ONLY_OWNER: 1,
  ONLY_PLAN_ROLE: 2,
  ONLY_SUBSCRIBER: 4,
} as const;
export type PlanRedemptionType = (typeof PlanRedemptionType)[keyof typeof PlanRedemptionType];
