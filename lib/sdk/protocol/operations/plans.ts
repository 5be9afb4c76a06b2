import * as z from "zod";
import { Agent } from "../agent.ts";
import { PageQuery, pageOf } from "../listing.ts";
import { PlanCreditsConfig } from "../plans/credits.ts";
import {
  AccessLimit,
  Plan,
  PlanBalance,
  PlanMetadata,
  PlanState,
  Subscriber,
} from "../plans/plan.ts";
import { PlanPriceConfig } from "../plans/price.ts";
import { Address, plainText, Uint256 } from "../primitives.ts";
import { samplePage, samplePlan, sampleReceiver } from "./examples.ts";
import { defineOperations } from "./operation.ts";
import { byPlan, PlanRef } from "./shared.ts";

const PlanTerms = z.object({
  metadataAttributes: PlanMetadata,
  priceConfig: PlanPriceConfig,
  creditsConfig: PlanCreditsConfig,
  isTrialPlan: z.boolean().optional(),
  state: PlanState.optional(),
  /** Accounts that may redeem, for `ONLY_PLAN_ROLE`. */
  redeemers: z.array(Address).max(50).optional(),
});

export const RegisterPlan = PlanTerms.extend({
  accessLimit: AccessLimit.default("credits"),
  /** Makes registration safe to repeat: one account and nonce make one plan. */
  nonce: Uint256.optional(),
});

export const PlanPage = pageOf(Plan).extend({ plans: z.array(Plan) });
const AgentPage = pageOf(Agent).extend({ agents: z.array(Agent) });

type PlanInput = z.input<typeof RegisterPlan>;
type Page = z.input<typeof PageQuery>;

/** What else a plan may have; a `nonce` makes its registration safe to repeat. */
export type RegisterPlanOptions = Pick<PlanInput, "isTrialPlan" | "state" | "nonce">;

/** A plan's terms from the specification's three arguments. */
export const planTerms = (
  metadata: PlanInput["metadataAttributes"],
  priceConfig: PlanInput["priceConfig"],
  creditsConfig: PlanInput["creditsConfig"],
) => ({
  metadataAttributes: metadata,
  priceConfig,
  creditsConfig,
  ...(metadata.isTrialPlan !== undefined && { isTrialPlan: metadata.isTrialPlan }),
});

export const plans = /* @__PURE__ */ defineOperations(
  { name: "plans", section: "Plans and orders", scope: "plans" },
  {
    /**
     * Registers a plan with a number of credits.
     *
     * @example await payments.plans.registerCreditsPlan({ name: "Starter" },
     *   getFiatPriceConfig(10_000_000n, receiver), getFixedCreditsConfig(100n))
     */
    registerCreditsPlan: {
      method: "POST",
      path: "/protocol/plans",
      summary: "Register a plan with a number of credits",
      repeatKey: "nonce",
      args: (
        planMetadata: PlanInput["metadataAttributes"],
        priceConfig: PlanInput["priceConfig"],
        creditsConfig: PlanInput["creditsConfig"],
        options: RegisterPlanOptions = {},
      ) => ({
        ...planTerms(planMetadata, priceConfig, creditsConfig),
        ...options,
        accessLimit: "credits",
      }),
      sample: () => ({
        ...samplePlan("credits"),
        accessLimit: "credits",
        isTrialPlan: false,
        state: "unlisted",
        redeemers: [sampleReceiver],
      }),
      input: RegisterPlan.extend({ accessLimit: z.literal("credits").default("credits") }),
      output: PlanRef,
    },
    /** Registers a plan that gives access for a time: `creditsConfig.durationSecs`, 0 for no end. */
    registerTimePlan: {
      method: "POST",
      path: "/protocol/plans",
      when: { accessLimit: "time" },
      summary: "Register a plan that gives access for a time",
      repeatKey: "nonce",
      args: (
        planMetadata: PlanInput["metadataAttributes"],
        priceConfig: PlanInput["priceConfig"],
        creditsConfig: PlanInput["creditsConfig"],
        options: RegisterPlanOptions = {},
      ) => ({
        ...planTerms(planMetadata, priceConfig, creditsConfig),
        ...options,
        accessLimit: "time",
      }),
      sample: () => ({ ...samplePlan("time"), accessLimit: "time" }),
      input: RegisterPlan.extend({ accessLimit: z.literal("time").default("time") }),
      output: PlanRef,
    },
    /** Lists your own plans, newest first. */
    listPlans: {
      method: "GET",
      path: "/protocol/plans",
      summary: "List your own plans, newest first",
      sample: () => samplePage,
      input: PageQuery,
      output: PlanPage,
    },
    /** Lists the plans that are public. */
    listPublicPlans: {
      method: "GET",
      path: "/protocol/plans/public",
      access: "public",
      summary: "List public plans",
      sample: () => ({ ...samplePage, search: "Sample" }),
      input: PageQuery.extend({ search: plainText(100).optional() }),
      output: PlanPage,
    },
    /** Gets a plan. Throws `not_found`. */
    getPlan: {
      method: "GET",
      path: "/protocol/plans/:planId",
      access: "public",
      summary: "Get a plan; its price decides the payment scheme",
      args: byPlan,
      input: PlanRef,
      output: Plan,
    },
    /** Changes a plan; a new price or new credits apply to later orders. */
    updatePlan: {
      method: "PUT",
      path: "/protocol/plans/:planId",
      summary: "Change a plan; a new price or new credits apply to later orders",
      args: (planId: string, changes: Partial<z.input<typeof PlanTerms>>) => ({
        ...changes,
        planId,
      }),
      sample: ({ spare }) => ({
        ...samplePlan("credits"),
        priceConfig: samplePlan("time").priceConfig,
        planId: spare.planId,
        state: "unlisted",
        redeemers: [sampleReceiver],
      }),
      input: PlanRef.extend(PlanTerms.partial().shape),
      output: Plan,
    },
    /** Lists the agents that accept a plan. */
    getPlanAgents: {
      method: "GET",
      path: "/protocol/plans/:planId/agents",
      access: "public",
      summary: "List the agents that accept a plan",
      args: (planId: string, page: Page = {}) => ({ ...page, planId }),
      sample: ({ planId }) => ({ planId, ...samplePage }),
      input: PlanRef.extend(PageQuery.shape),
      output: AgentPage,
    },
    /** Gets an account's remaining credits on a plan (§2.13). */
    getPlanBalance: {
      method: "GET",
      path: "/protocol/plans/:planId/balance/:holderAddress",
      access: "public",
      summary: "Get an account's remaining credits on a plan",
      args: (planId: string, holderAddress: string) => ({ planId, holderAddress }),
      sample: ({ planId, subscriber }) => ({ planId, holderAddress: subscriber.address }),
      input: PlanRef.extend({ holderAddress: Address }),
      output: PlanBalance,
    },
    /** Lists the accounts that ordered your plan. */
    listSubscribers: {
      method: "GET",
      path: "/protocol/plans/:planId/subscribers",
      scope: "activity",
      summary: "List the accounts that ordered your plan",
      args: (planId: string, page: Page = {}) => ({ ...page, planId }),
      sample: ({ planId }) => ({ planId, ...samplePage }),
      input: PlanRef.extend(PageQuery.shape),
      output: pageOf(Subscriber),
    },
  },
);
