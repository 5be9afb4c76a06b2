import * as z from "zod/mini";
import { Agent } from "../agent.ts";
import { IncludeTest, PageQuery, pageOf } from "../listing.ts";
import { Plan, Subscriber } from "../plans/plan.ts";
import { PlanTerms, RegisterPlan } from "../plans/register-plan.ts";
import { plainText, WebUrl } from "../primitives.ts";
import { sampleFreePrice, samplePage, samplePlan } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { planReads } from "./plan-reads.ts";
import { byPlan, Done, PlanRef, PUBLIC_SECS } from "./shared.ts";

export const PlanPage = z.extend(pageOf(Plan), { plans: z.array(Plan) });
export const AgentPage = z.extend(pageOf(Agent), { agents: z.array(Agent) });

const PlanChanges = z.extend(z.partial(PlanTerms), {
  planVersion: z.optional(z.int().check(z.minimum(0))),
});

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

const registerArgs =
  (accessLimit: PlanInput["accessLimit"]) =>
  (
    planMetadata: PlanInput["metadataAttributes"],
    priceConfig: PlanInput["priceConfig"],
    creditsConfig: PlanInput["creditsConfig"],
    options: RegisterPlanOptions = {},
  ) => ({ ...planTerms(planMetadata, priceConfig, creditsConfig), ...options, accessLimit });

/** How plans are sold and managed. */
export const plans = /* @__PURE__ */ defineCalls({
  /**
   * Registers a plan with a number of credits.
   *
   * @example await payments.plans.registerCreditsPlan({ name: "Starter" },
   *   getFiatPriceConfig(10_000_000n, receiver), getFixedCreditsConfig(100n))
   */
  registerCreditsPlan: {
    route: "POST /protocol/plans",
    repeatKey: "nonce",
    args: /* @__PURE__ */ registerArgs("credits"),
    input: z.extend(RegisterPlan, { accessLimit: z._default(z.literal("credits"), "credits") }),
    output: PlanRef,
  },
  /** Registers a plan that gives access for a time: `creditsConfig.durationSecs`, 0 for no end. */
  registerTimePlan: {
    route: "POST /protocol/plans",
    when: { accessLimit: "time" },
    repeatKey: "nonce",
    args: /* @__PURE__ */ registerArgs("time"),
    input: z.extend(RegisterPlan, { accessLimit: z._default(z.literal("time"), "time") }),
    output: PlanRef,
  },
  /** Lists your own plans, newest first. */
  listPlans: {
    route: "GET /protocol/plans",
    input: PageQuery,
    output: PlanPage,
  },
  /** Lists the plans that are public. */
  listPublicPlans: {
    route: "GET /protocol/plans/public",
    input: z.extend(PageQuery, { search: z.optional(plainText(100)) }),
    output: PlanPage,
  },
  /**
   * Changes a plan; a new price or new credits apply to later orders. Throws `conflict` when the plan has another version
   * than `planVersion`.
   */
  updatePlan: {
    route: "PUT /protocol/plans/:planId",
    args: (planId: string, changes: z.input<typeof PlanChanges>) => ({
      ...changes,
      planId,
    }),
    input: z.extend(PlanRef, PlanChanges.shape),
    output: Plan,
  },
  /** Archives a plan: it can no longer be ordered, and its credits stay usable. Safe to repeat. */
  archivePlan: {
    route: "POST /protocol/plans/:planId/archive",
    repeatable: true,
    args: byPlan,
    input: PlanRef,
    output: Plan,
  },
  /** Restores an archived plan as it was. Safe to repeat. */
  restorePlan: {
    route: "POST /protocol/plans/:planId/restore",
    repeatable: true,
    args: byPlan,
    input: PlanRef,
    output: Plan,
  },
  /** Deletes a plan that was never ordered. Throws `conflict` for one that was: archive it. */
  deletePlan: {
    route: "DELETE /protocol/plans/:planId",
    repeatable: false,
    args: byPlan,
    input: PlanRef,
    output: Done,
  },
  /** Lists the agents that accept a plan; with `origin`, only those with an endpoint there, archived ones too. */
  getPlanAgents: {
    route: "GET /protocol/plans/:planId/agents",
    args: (planId: string, page: Page & { origin?: string } = {}) => ({ ...page, planId }),
    input: z.extend(PlanRef, { ...PageQuery.shape, origin: z.optional(WebUrl) }),
    output: AgentPage,
  },
  /** Lists the accounts that ordered your plan. */
  listSubscribers: {
    route: "GET /protocol/plans/:planId/subscribers",
    args: (planId: string, page: Page & { includeTest?: boolean } = {}) => ({ ...page, planId }),
    input: z.extend(PlanRef, { ...PageQuery.shape, includeTest: IncludeTest }),
    output: pageOf(Subscriber),
  },
});

// A spread would keep all of this in every bundle.
const allCalls = /* @__PURE__ */ Object.assign({}, plans, planReads);

export const planOperations = /* @__PURE__ */ serveCalls(
  { name: "plans", section: "Plans and orders", scope: "plans" },
  allCalls,
  {
    registerCreditsPlan: {
      summary: "Register a plan with a number of credits",
      sample: ({ builder }) => ({
        ...samplePlan("credits", builder.address),
        accessLimit: "credits",
        isTrialPlan: false,
        state: "unlisted",
        redeemers: [builder.address],
      }),
    },
    registerTimePlan: {
      summary: "Register a plan that gives access for a time",
      sample: ({ builder }) => ({ ...samplePlan("time", builder.address), accessLimit: "time" }),
    },
    listPlans: { summary: "List your own plans, newest first", sample: () => samplePage },
    listPublicPlans: {
      access: "public",
      cacheSecs: PUBLIC_SECS,
      summary: "List public plans",
      sample: () => ({ ...samplePage, search: "Sample" }),
    },
    getPlan: {
      access: "public",
      cacheSecs: PUBLIC_SECS,
      summary: "Get a plan; its price decides the payment scheme",
    },
    updatePlan: {
      summary: "Change a plan; a new price or new credits apply to new orders",
      sample: ({ builder, spare }) => ({
        ...samplePlan("credits", builder.address),
        priceConfig: sampleFreePrice,
        planId: spare.planId,
        state: "unlisted",
        redeemers: [builder.address],
      }),
    },
    archivePlan: {
      summary: "Archive a plan: it can no longer be ordered, and its credits stay usable",
      sample: ({ spare }) => ({ planId: spare.endingPlanId }),
    },
    restorePlan: {
      summary: "Restore an archived plan as it was",
      sample: ({ spare }) => ({ planId: spare.endingPlanId }),
    },
    deletePlan: {
      summary: "Delete a plan that was never ordered",
      sample: ({ spare }) => ({ planId: spare.endingPlanId }),
    },
    getPlanAgents: {
      access: "public",
      cacheSecs: PUBLIC_SECS,
      ownerSeesMore: true,
      summary: "List the agents that accept a plan",
      sample: ({ planId }) => ({ planId, ...samplePage, origin: "https://agent.example" }),
    },
    getPlanBalance: {
      access: "public",
      summary: "Get an account's remaining credits on a plan",
      sample: ({ planId, subscriber }) => ({ planId, holderAddress: subscriber.address }),
    },
    listSubscribers: {
      scope: "activity",
      summary: "List the accounts that ordered your plan",
      sample: ({ planId }) => ({ planId, includeTest: true, ...samplePage }),
    },
  },
);
