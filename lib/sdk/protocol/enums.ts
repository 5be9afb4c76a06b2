import { z } from "zod";

/** How an agent's own endpoint authenticates its callers (§2.12); read in any case, written upper-case. */
export const AuthType = z
  .string()
  .transform((value) => value.toUpperCase())
  .pipe(z.enum(["NONE", "BASIC", "BEARER"]))
  .meta({ wire: "text" });
export type AuthType = z.output<typeof AuthType>;

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

/** How far an agent's sub-task came; the specification names the enum, the values are our choice. */
export const AgentTaskStatus = z.enum(["SUCCESS", "FAILED", "PENDING"]);
export type AgentTaskStatus = z.output<typeof AgentTaskStatus>;

/** One deployment is one environment; a key, a token and a row of one are worth nothing in the other. */
export const Environment = z.enum(["sandbox", "live"]);
export type Environment = z.output<typeof Environment>;
