import * as z from "zod/mini";
import { Agent, AgentApiAttributes } from "../agent.ts";
import { AgentMetadata } from "../agent-metadata.ts";
import { PageQuery } from "../listing.ts";
import { RegisterPlan } from "../plans/register-plan.ts";
import { AgentId, PlanId, Uint256 } from "../primitives.ts";
import { sampleAgent, sampleFreePrice, samplePage, samplePlan } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { AgentPage, PlanPage, planTerms } from "./plans.ts";
import { AgentRef, byAgent, Done, PUBLIC_SECS } from "./shared.ts";

const AgentTerms = z.object({
  metadataAttributes: AgentMetadata,
  agentApiAttributes: AgentApiAttributes,
});
const AgentChanges = z.object({
  metadataAttributes: z.optional(z.partial(AgentMetadata)),
  agentApiAttributes: z.optional(AgentApiAttributes),
});
const RegisterAgent = z.extend(AgentTerms, {
  plans: z._default(z.array(PlanId).check(z.maxLength(50)), []),
  nonce: z.optional(Uint256),
});
const AgentAndPlan = z.object({ agentId: AgentId, planId: PlanId });

type AgentInput = z.input<typeof RegisterAgent>;
type PlanInput = z.input<typeof RegisterPlan>;

const byAgentAndPlan = (agentId: string, planId: string) => ({ agentId, planId });

export const agents = /* @__PURE__ */ defineCalls({
  /**
   * Registers an agent and the plans it accepts.
   *
   * @example await payments.agents.registerAgent({ name: "Translator" },
   *   { endpoints: [{ POST: "https://agent.example/translate" }] }, [planId])
   */
  registerAgent: {
    route: "POST /protocol/agents",
    repeatKey: "nonce",
    args: (
      agentMetadata: AgentInput["metadataAttributes"],
      agentApi: AgentInput["agentApiAttributes"],
      paymentPlans: string[] = [],
      options: Pick<AgentInput, "nonce"> = {},
    ) => ({
      metadataAttributes: agentMetadata,
      agentApiAttributes: agentApi,
      plans: paymentPlans,
      ...options,
    }),
    input: RegisterAgent,
    output: z.extend(AgentRef, { data: AgentRef }),
  },
  /** Registers an agent and its plan together, or neither. `accessLimit: "time"` makes it a time plan. */
  registerAgentAndPlan: {
    route: "POST /protocol/agents/plans",
    args: (
      agentMetadata: AgentInput["metadataAttributes"],
      agentApi: AgentInput["agentApiAttributes"],
      planMetadata: PlanInput["metadataAttributes"],
      priceConfig: PlanInput["priceConfig"],
      creditsConfig: PlanInput["creditsConfig"],
      options: Pick<PlanInput, "accessLimit" | "isTrialPlan" | "state" | "nonce"> = {},
    ) => ({
      agent: { metadataAttributes: agentMetadata, agentApiAttributes: agentApi },
      plan: { ...planTerms(planMetadata, priceConfig, creditsConfig), ...options },
    }),
    input: z.object({ agent: AgentTerms, plan: RegisterPlan }),
    output: z.extend(AgentAndPlan, { data: AgentAndPlan, txHash: z.string() }),
  },
  /**
   * Changes an agent's description or endpoints. What is left out stays as it is. New credentials, or another `authType`, replace all
   * credentials.
   */
  updateAgent: {
    route: "PUT /protocol/agents/:agentId",
    args: (agentId: string, changes: z.input<typeof AgentChanges>) => ({
      ...changes,
      agentId,
    }),
    input: z.extend(AgentRef, AgentChanges.shape),
    output: Agent,
  },
  /** Gets an agent. Throws `not_found`. */
  getAgent: {
    route: "GET /protocol/agents/:agentId",
    args: byAgent,
    input: AgentRef,
    output: Agent,
  },
  /** Archives an agent: it is hidden from lists, and calls are still paid. Safe to repeat. */
  archiveAgent: {
    route: "POST /protocol/agents/:agentId/archive",
    repeatable: true,
    args: byAgent,
    input: AgentRef,
    output: Agent,
  },
  /** Restores an archived agent as it was. Safe to repeat. */
  restoreAgent: {
    route: "POST /protocol/agents/:agentId/restore",
    repeatable: true,
    args: byAgent,
    input: AgentRef,
    output: Agent,
  },
  /** Deletes an agent that was never paid. Throws `conflict` for one that was: archive it. */
  deleteAgent: {
    route: "DELETE /protocol/agents/:agentId",
    repeatable: false,
    args: byAgent,
    input: AgentRef,
    output: Done,
  },
  /** Lists your own agents, newest first. */
  listAgents: {
    route: "GET /protocol/agents",
    input: PageQuery,
    output: AgentPage,
  },
  /** Lists the plans an agent accepts. Only its owner gets those that are not listed. */
  getAgentPlans: {
    route: "GET /protocol/agents/:agentId/plans",
    args: (agentId: string, page: z.input<typeof PageQuery> = {}) => ({ ...page, agentId }),
    input: z.extend(AgentRef, PageQuery.shape),
    output: PlanPage,
  },
  /** Adds a plan to those an agent accepts. Safe to repeat. */
  addPlanToAgent: {
    route: "POST /protocol/agents/:agentId/plan/:planId",
    repeatable: true,
    args: byAgentAndPlan,
    input: AgentAndPlan,
    output: Done,
  },
  /** Removes a plan from those an agent accepts. Safe to repeat. */
  removePlanFromAgent: {
    route: "DELETE /protocol/agents/:agentId/plan/:planId",
    args: byAgentAndPlan,
    input: AgentAndPlan,
    output: Done,
  },
});

export const agentOperations = /* @__PURE__ */ serveCalls(
  { name: "agents", section: "Agents", scope: "plans" },
  agents,
  {
    registerAgent: {
      summary: "Register an agent and the plans it accepts",
      tenancy: "not found",
      sample: ({ planId, freshId }) => ({ ...sampleAgent({ freshId }), plans: [planId] }),
    },
    registerAgentAndPlan: {
      summary: "Register an agent and its plan together, or neither",
      sample: (examples) => ({
        agent: sampleAgent(examples),
        plan: {
          ...samplePlan("credits", examples.builder.address),
          priceConfig: sampleFreePrice,
        },
      }),
    },
    updateAgent: {
      summary: "Change an agent's description or endpoints",
      sample: ({ spare, freshId }) => ({ ...sampleAgent({ freshId }), agentId: spare.agentId }),
    },
    getAgent: {
      access: "public",
      cacheSecs: PUBLIC_SECS,
      ownerSeesMore: true,
      summary: "Get an agent",
    },
    archiveAgent: {
      summary: "Archive an agent: it is hidden from lists, and calls are still paid",
      sample: ({ spare }) => ({ agentId: spare.endingAgentId }),
    },
    restoreAgent: {
      summary: "Restore an archived agent as it was",
      sample: ({ spare }) => ({ agentId: spare.endingAgentId }),
    },
    deleteAgent: {
      summary: "Delete an agent that was never paid",
      sample: ({ spare }) => ({ agentId: spare.endingAgentId }),
    },
    listAgents: { summary: "List your own agents, newest first", sample: () => samplePage },
    getAgentPlans: {
      access: "public",
      cacheSecs: PUBLIC_SECS,
      ownerSeesMore: true,
      summary: "List the plans an agent accepts",
      sample: ({ agentId }) => ({ agentId, ...samplePage }),
    },
    addPlanToAgent: {
      summary: "Add a plan to those an agent accepts",
      sample: ({ spare }) => ({ agentId: spare.agentId, planId: spare.planId }),
    },
    removePlanFromAgent: {
      summary: "Remove a plan from those an agent accepts",
      sample: ({ spare }) => ({ agentId: spare.agentId, planId: spare.planId }),
    },
  },
);
