import type { InputOf, OutputOf } from "../protocol/operations.ts";
import { call } from "./call.ts";
import type { Connection } from "./connection.ts";

type AgentTerms = InputOf<"registerAgent">;
type PlanTerms = InputOf<"registerAgentAndPlan">["plan"];

/** Agents: what is paid for, and by which plans (§4.1). */
export function createAgents(connection: Connection) {
  return {
    /**
     * Registers an agent and the plans that pay for it; answers its id.
     *
     * @example await payments.agents.registerAgent({ name: "Translator" },
     *   { endpoints: [{ POST: "https://agent.example/translate" }] }, [planId])
     */
    async registerAgent(
      agentMetadata: AgentTerms["metadataAttributes"],
      agentApi: AgentTerms["agentApiAttributes"],
      paymentPlans: string[] = [],
      options: Pick<AgentTerms, "nonce"> = {},
    ): Promise<{ agentId: string }> {
      const { agentId } = await call(connection, "registerAgent", {
        metadataAttributes: agentMetadata,
        agentApiAttributes: agentApi,
        plans: paymentPlans,
        ...options,
      });
      return { agentId };
    },

    /** Registers an agent and its plan together, or neither. `accessLimit` "time" makes a time plan. */
    registerAgentAndPlan: (
      agentMetadata: AgentTerms["metadataAttributes"],
      agentApi: AgentTerms["agentApiAttributes"],
      planMetadata: PlanTerms["metadataAttributes"],
      priceConfig: PlanTerms["priceConfig"],
      creditsConfig: PlanTerms["creditsConfig"],
      options: Pick<PlanTerms, "accessLimit" | "isTrialPlan" | "state" | "nonce"> = {},
    ): Promise<OutputOf<"registerAgentAndPlan">> =>
      call(connection, "registerAgentAndPlan", {
        agent: { metadataAttributes: agentMetadata, agentApiAttributes: agentApi },
        plan: {
          metadataAttributes: planMetadata,
          priceConfig,
          creditsConfig,
          ...(planMetadata.isTrialPlan !== undefined && { isTrialPlan: planMetadata.isTrialPlan }),
          ...options,
        },
      }),

    /** Changes an agent's description or endpoints. */
    updateAgent: (agentId: string, changes: Omit<InputOf<"updateAgent">, "agentId">) =>
      call(connection, "updateAgent", { ...changes, agentId }),

    /** Reads an agent. Throws `not_found`. */
    getAgent: (agentId: string) => call(connection, "getAgent", { agentId }),

    /** Lists your own agents, newest first. */
    listAgents: (page: InputOf<"listAgents"> = {}) => call(connection, "listAgents", page),

    /** Lists the plans that pay for an agent. */
    getAgentPlans: (agentId: string, page: Omit<InputOf<"getAgentPlans">, "agentId"> = {}) =>
      call(connection, "getAgentPlans", { ...page, agentId }),

    /** Lets a plan pay for an agent. Safe to repeat. */
    addPlanToAgent: (agentId: string, planId: string) =>
      call(connection, "addPlanToAgent", { agentId, planId }),

    /** Stops a plan from paying for an agent. Safe to repeat. */
    removePlanFromAgent: (agentId: string, planId: string) =>
      call(connection, "removePlanFromAgent", { agentId, planId }),
  };
}
