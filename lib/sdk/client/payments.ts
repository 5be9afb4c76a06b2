import type { AccountEvent } from "../protocol/events/event.ts";
import { delegation } from "../protocol/operations/delegations.ts";
import { orders } from "../protocol/operations/orders.ts";
import { planReads } from "../protocol/operations/plan-reads.ts";
import { requestReports } from "../protocol/operations/request-reports.ts";
import { tokens } from "../protocol/operations/tokens.ts";
import { type Connection, createConnection, type PaymentOptions } from "./connection.ts";
import { createOperations, type OperationMethods } from "./create-operations.ts";
import type { EventStreamOptions } from "./event-stream.ts";
import { createFacilitator } from "./facilitator.ts";
import { createPayingFetch } from "./paying-fetch.ts";
import { loadRare, type RareCalls, rareGroup } from "./rare-group.ts";
import { forgetPlan } from "./resolve-scheme.ts";
import { createX402 } from "./x402.ts";

/** One account's client: the operations of the service, grouped as the specification groups them (§4.1). */
export type Payments = Pick<Connection, "environment" | "baseUrl" | "accountAddress"> & {
  connection: Connection;
  x402: ReturnType<typeof createX402> & OperationMethods<RareCalls["x402"]>;
  facilitator: ReturnType<typeof createFacilitator>;
  delegation: OperationMethods<typeof delegation & RareCalls["delegation"]>;
  paymentMethods: OperationMethods<RareCalls["paymentMethods"]>;
  plans: Plans;
  agents: Agents;
  tokens: OperationMethods<typeof tokens & RareCalls["tokenLists"]>;
  apiKeys: OperationMethods<RareCalls["apiKeys"]>;
  budgets: OperationMethods<RareCalls["budgets"]>;
  audit: OperationMethods<RareCalls["audit"]>;
  discovery: OperationMethods<RareCalls["discovery"]>;
  requests: OperationMethods<typeof requestReports & RareCalls["requests"]>;
  holdings: OperationMethods<RareCalls["holdings"]>;
  money: OperationMethods<RareCalls["money"]>;
  webhooks: OperationMethods<RareCalls["webhooks"]>;
  alerts: OperationMethods<RareCalls["alerts"]>;
  /**
   * Your events, from `after` on or new ones only, until you stop: reconnects and resumes, and gives none twice. Throws
   * `conflict` when the service was restored from a copy that lacks the last event you have.
   *
   * @example for await (const event of payments.events({ after: lastSeenId })) await handle(event)
   */
  events(options?: EventStreamOptions): AsyncGenerator<AccountEvent, void>;
  fetch: ReturnType<typeof createPayingFetch>;
};

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

const createBudgets = (connection: Connection) =>
  rareGroup(connection, "budgets", {
    getBudgets: 0,
    setBudgets: 0,
    getDelegationBudgets: 0,
    setDelegationBudgets: 0,
    listApprovals: 0,
    getApproval: 0,
    approveRequest: 0,
    declineRequest: 0,
  });

const createMoney = (connection: Connection) =>
  rareGroup(connection, "money", {
    createRefund: 0,
    listRefunds: 0,
    getRefund: 0,
    getRefundable: 0,
    requestRefund: 0,
    acceptRefundRequest: 0,
    declineRefundRequest: 0,
    setRenewal: 0,
    listRenewals: 0,
    listDisputes: 0,
    getDispute: 0,
    submitEvidence: 0,
    getBalance: 0,
    getStatement: 0,
    getInvoice: 0,
    createWithdrawal: 0,
    createPayoutAccount: 0,
    createPayout: 0,
    listPayouts: 0,
  });

const createWebhooks = (connection: Connection) =>
  rareGroup(connection, "webhooks", {
    createWebhookEndpoint: 0,
    listWebhookEndpoints: 0,
    getWebhookEndpoint: 0,
    updateWebhookEndpoint: 0,
    deleteWebhookEndpoint: 0,
    testWebhookEndpoint: 0,
    rotateWebhookSecret: 0,
    listWebhookDeliveries: 0,
    replayWebhookDelivery: 0,
    replayWebhookEvents: 0,
    listEvents: 0,
  });

const createAlerts = (connection: Connection) =>
  rareGroup(connection, "alerts", {
    createAlertRule: 0,
    listAlertRules: 0,
    updateAlertRule: 0,
    deleteAlertRule: 0,
    listAlerts: 0,
  });

function getInstance(options: PaymentOptions): Payments {
  const connection = createConnection(options);
  const x402 = {
    ...createX402(connection),
    ...rareGroup(connection, "x402", { createAuthorization: 0 }),
  };
  const budgets = createBudgets(connection);
  return {
    connection,
    environment: connection.environment,
    baseUrl: connection.baseUrl,
    accountAddress: connection.accountAddress,
    x402,
    facilitator: createFacilitator(connection),
    delegation: {
      ...createOperations(connection, delegation),
      ...rareGroup(connection, "delegation", {
        listPaymentMethods: 0,
        getGrant: 0,
        submitGrantSignature: 0,
        revokeAllDelegations: 0,
      }),
    },
    paymentMethods: rareGroup(connection, "paymentMethods", {
      addPaymentMethod: 0,
      finishPaymentMethod: 0,
      setDefaultPaymentMethod: 0,
      removePaymentMethod: 0,
    }),
    plans: createPlans(connection),
    agents: createAgents(connection),
    tokens: {
      ...createOperations(connection, tokens),
      ...rareGroup(connection, "tokenLists", { listTokens: 0, getToken: 0 }),
    },
    apiKeys: rareGroup(connection, "apiKeys", { createApiKey: 0, listApiKeys: 0, revokeApiKey: 0 }),
    audit: rareGroup(connection, "audit", { listAudit: 0 }),
    discovery: rareGroup(connection, "discovery", {
      listResources: 0,
      searchResources: 0,
      getSigningKeys: 0,
      signOffers: 0,
    }),
    budgets,
    requests: {
      ...createOperations(connection, requestReports),
      ...rareGroup(connection, "requests", {
        listRequests: 0,
        getRequest: 0,
        listUnsettledRequests: 0,
        settleRequest: 0,
        writeOffRequest: 0,
        getReceipt: 0,
      }),
    },
    holdings: rareGroup(connection, "holdings", { listOrders: 0, listSubscriptions: 0 }),
    money: createMoney(connection),
    webhooks: createWebhooks(connection),
    alerts: createAlerts(connection),
    async *events(options) {
      yield* (await loadRare()).streamEvents(connection, options);
    },
    fetch: createPayingFetch(connection, budgets.getApproval),
  };
}

function createPlans(connection: Connection): Plans {
  const methods: PlanMethods = {
    ...createOperations(connection, { ...planReads, ...orders }),
    ...rareGroup(connection, "plans", {
      registerCreditsPlan: 0,
      registerTimePlan: 0,
      listPlans: 0,
      listPublicPlans: 0,
      updatePlan: 0,
      archivePlan: 0,
      restorePlan: 0,
      deletePlan: 0,
      getPlanAgents: 0,
      orderFiatPlan: 0,
      listSubscribers: 0,
    }),
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
  const methods: AgentMethods = rareGroup(connection, "agents", {
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
  });
  return {
    ...methods,
    async registerAgent(...args) {
      const { agentId } = await methods.registerAgent(...args);
      return { agentId };
    },
  };
}
