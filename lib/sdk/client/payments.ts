import { delegation } from "../protocol/operations/delegations.ts";
import { holdings, orders } from "../protocol/operations/orders.ts";
import { planReads } from "../protocol/operations/plan-reads.ts";
import type { rareCalls } from "../protocol/operations/rare-calls.ts";
import { requests } from "../protocol/operations/requests.ts";
import { tokens } from "../protocol/operations/tokens.ts";
import { type Connection, createConnection, type PaymentOptions } from "./connection.ts";
import { createOperations, loadOperations, type OperationMethods } from "./create-operations.ts";
import { createFacilitator } from "./facilitator.ts";
import { createPayingFetch } from "./paying-fetch.ts";
import { forgetPlan } from "./resolve-scheme.ts";
import { createX402 } from "./x402.ts";

/** One account's client: the operations of the service, grouped as the specification groups them (§4.1). */
export type Payments = Pick<Connection, "environment" | "baseUrl" | "accountAddress"> & {
  connection: Connection;
  x402: ReturnType<typeof createX402>;
  facilitator: ReturnType<typeof createFacilitator>;
  delegation: OperationMethods<typeof delegation>;
  paymentMethods: OperationMethods<RareCalls["paymentMethods"]>;
  plans: Plans;
  agents: Agents;
  tokens: OperationMethods<typeof tokens>;
  apiKeys: OperationMethods<RareCalls["apiKeys"]>;
  budgets: OperationMethods<RareCalls["budgets"]>;
  requests: OperationMethods<typeof requests>;
  holdings: OperationMethods<typeof holdings>;
  money: OperationMethods<RareCalls["money"]>;
  fetch: ReturnType<typeof createPayingFetch>;
};

type RareCalls = typeof rareCalls;
type PlanMethods = OperationMethods<typeof planReads & typeof orders & RareCalls["plans"]>;
type AgentMethods = OperationMethods<RareCalls["agents"]>;

interface Plans extends Omit<PlanMethods, "getPlanBalance"> {
  /** Gets an account's remaining credits on a plan (§2.13); by default those of the API key's account. */
  getPlanBalance(planId: string, holderAddress?: string): ReturnType<PlanMethods["getPlanBalance"]>;
}

interface Agents extends Omit<AgentMethods, "registerAgent"> {
  /**
   * Registers an agent and the plans it accepts; answers its id.
   *
   * @example await payments.agents.registerAgent({ name: "Translator" },
   *   { endpoints: [{ POST: "https://agent.example/translate" }] }, [planId])
   */
  registerAgent(...args: Parameters<AgentMethods["registerAgent"]>): Promise<{ agentId: string }>;
}

/**
 * The client. `Payments.getInstance` checks its options and sends nothing.
 *
 * @example
 * const payments = Payments.getInstance({ apiKey, environment: "sandbox" });
 * await payments.plans.getPlanBalance(planId);
 */
export const Payments = { getInstance };

const loadRareCalls = async () => (await import("../protocol/operations/rare-calls.ts")).rareCalls;

function getInstance(options: PaymentOptions): Payments {
  const connection = createConnection(options);
  const x402 = createX402(connection);
  const budgets = loadOperations(
    connection,
    {
      getBudgets: 0,
      setBudgets: 0,
      getDelegationBudgets: 0,
      setDelegationBudgets: 0,
      listApprovals: 0,
      getApproval: 0,
      approveRequest: 0,
      declineRequest: 0,
    },
    async () => (await loadRareCalls()).budgets,
  );
  return {
    connection,
    environment: connection.environment,
    baseUrl: connection.baseUrl,
    accountAddress: connection.accountAddress,
    x402,
    facilitator: createFacilitator(connection),
    delegation: createOperations(connection, delegation),
    paymentMethods: loadOperations(
      connection,
      {
        addPaymentMethod: 0,
        finishPaymentMethod: 0,
        setDefaultPaymentMethod: 0,
        removePaymentMethod: 0,
      },
      async () => (await loadRareCalls()).paymentMethods,
    ),
    plans: createPlans(connection),
    agents: createAgents(connection),
    tokens: createOperations(connection, tokens),
    apiKeys: loadOperations(
      connection,
      { createApiKey: 0, listApiKeys: 0, revokeApiKey: 0 },
      async () => (await loadRareCalls()).apiKeys,
    ),
    budgets,
    requests: createOperations(connection, requests),
    holdings: createOperations(connection, holdings),
    money: loadOperations(
      connection,
      {
        createRefund: 0,
        listRefunds: 0,
        getRefund: 0,
        getRefundable: 0,
        requestRefund: 0,
        acceptRefundRequest: 0,
        declineRefundRequest: 0,
        listDisputes: 0,
        getDispute: 0,
        submitEvidence: 0,
        getBalance: 0,
        createWithdrawal: 0,
        createPayoutAccount: 0,
        createPayout: 0,
        listPayouts: 0,
      },
      async () => (await loadRareCalls()).money,
    ),
    fetch: createPayingFetch(connection, budgets.getApproval),
  };
}

function createPlans(connection: Connection): Plans {
  const methods: PlanMethods = {
    ...createOperations(connection, { ...planReads, ...orders }),
    ...loadOperations(
      connection,
      {
        registerCreditsPlan: 0,
        registerTimePlan: 0,
        listPlans: 0,
        listPublicPlans: 0,
        updatePlan: 0,
        archivePlan: 0,
        restorePlan: 0,
        deletePlan: 0,
        getPlanAgents: 0,
        listSubscribers: 0,
      },
      async () => (await loadRareCalls()).plans,
    ),
  };
  return {
    ...methods,
    async updatePlan(planId, changes) {
      const plan = await methods.updatePlan(planId, changes);
      forgetPlan(connection, planId);
      return plan;
    },
    getPlanBalance: (planId, holderAddress = connection.accountAddress) =>
      methods.getPlanBalance(planId, holderAddress),
  };
}

function createAgents(connection: Connection): Agents {
  const methods: AgentMethods = loadOperations(
    connection,
    {
      registerAgent: 0,
      registerAgentAndPlan: 0,
      updateAgent: 0,
      getAgent: 0,
      archiveAgent: 0,
      restoreAgent: 0,
      deleteAgent: 0,
      listAgents: 0,
      getAgentPlans: 0,
      addPlanToAgent: 0,
      removePlanFromAgent: 0,
    },
    async () => (await loadRareCalls()).agents,
  );
  return {
    ...methods,
    async registerAgent(...args) {
      const { agentId } = await methods.registerAgent(...args);
      return { agentId };
    },
  };
}
