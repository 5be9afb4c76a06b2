import { agents } from "../protocol/operations/agents.ts";
import { apiKeys } from "../protocol/operations/api-keys.ts";
import { delegation } from "../protocol/operations/delegations.ts";
import { holdings, orders } from "../protocol/operations/orders.ts";
import { paymentMethods } from "../protocol/operations/payment-methods.ts";
import { plans } from "../protocol/operations/plans.ts";
import { requests } from "../protocol/operations/requests.ts";
import { tokens } from "../protocol/operations/tokens.ts";
import { type Connection, createConnection, type PaymentOptions } from "./connection.ts";
import { createOperations } from "./create-operations.ts";
import { createFacilitator } from "./facilitator.ts";
import { createPayingFetch } from "./paying-fetch.ts";
import { forgetPlan } from "./resolve-scheme.ts";
import { createX402 } from "./x402.ts";

/** One account's client: the operations of the service, grouped as the specification groups them (§4.1). */
export type Payments = ReturnType<typeof getInstance>;

/**
 * The client. `Payments.getInstance` checks its options and sends nothing.
 *
 * @example
 * const payments = Payments.getInstance({ apiKey, environment: "sandbox" });
 * await payments.plans.getPlanBalance(planId);
 */
export const Payments = { getInstance };

function getInstance(options: PaymentOptions) {
  const connection = createConnection(options);
  const x402 = createX402(connection);
  return {
    connection,
    environment: connection.environment,
    baseUrl: connection.baseUrl,
    accountAddress: connection.accountAddress,
    x402,
    facilitator: createFacilitator(connection),
    delegation: createOperations(connection, delegation),
    paymentMethods: createOperations(connection, paymentMethods),
    plans: createPlans(connection),
    agents: createAgents(connection),
    tokens: createOperations(connection, tokens),
    apiKeys: createOperations(connection, apiKeys),
    requests: createOperations(connection, requests),
    holdings: createOperations(connection, holdings),
    fetch: createPayingFetch(connection, x402),
  };
}

function createPlans(connection: Connection) {
  const methods = createOperations(connection, { ...plans, ...orders });
  return {
    ...methods,
    /** Changes a plan; a new price or new credits apply to later orders. */
    async updatePlan(...[planId, changes]: Parameters<typeof methods.updatePlan>) {
      const plan = await methods.updatePlan(planId, changes);
      forgetPlan(connection, planId);
      return plan;
    },
    /**
     * Gets an account's remaining credits on a plan (§2.13). The default holder is the account of the API
     * key.
     */
    getPlanBalance: (planId: string, holderAddress: string = connection.accountAddress) =>
      methods.getPlanBalance(planId, holderAddress),
  };
}

function createAgents(connection: Connection) {
  const methods = createOperations(connection, agents);
  return {
    ...methods,
    /**
     * Registers an agent and the plans it accepts; answers its id.
     *
     * @example await payments.agents.registerAgent({ name: "Translator" },
     *   { endpoints: [{ POST: "https://agent.example/translate" }] }, [planId])
     */
    async registerAgent(...args: Parameters<typeof methods.registerAgent>) {
      const { agentId } = await methods.registerAgent(...args);
      return { agentId };
    },
  };
}
