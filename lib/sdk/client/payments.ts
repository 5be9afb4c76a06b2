import type { AccountEvent } from "../protocol/events/event.ts";
import { planReads } from "../protocol/operations/plan-reads.ts";
import { requestReports } from "../protocol/operations/request-reports.ts";
import { type Connection, createConnection, type PaymentOptions } from "./connection.ts";
import { createOperations, type OperationMethods } from "./create-operations.ts";
import type { EventStreamOptions } from "./event-stream.ts";
import { createFacilitator } from "./facilitator.ts";
import { createPayingFetch } from "./paying-fetch.ts";
import { loadRare, NEVER, type RareCalls, rareGroup } from "./rare-group.ts";
import { forgetPlan } from "./resolve-scheme.ts";
import { createX402 } from "./x402.ts";

/** One account's client: the operations of the service, grouped as the specification groups them (§4.1). */
export type Payments = Pick<Connection, "environment" | "baseUrl" | "accountAddress"> & {
  /** For `createOperations`. */
  connection: Connection;
  /** Access tokens and payment requirements. */
  x402: ReturnType<typeof createX402> & OperationMethods<RareCalls["x402"]>;
  /** Verify, settle, renew and release: the seller's side of a payment. */
  facilitator: ReturnType<typeof createFacilitator>;
  /** Spending limits, which tokens pay within, and the wallet's grants for them. */
  delegation: OperationMethods<RareCalls["delegation"]>;
  /** Cards. */
  paymentMethods: OperationMethods<RareCalls["paymentMethods"]>;
  /** Plans, their orders and balances. */
  plans: Plans;
  /** Agents, and the plans they accept. */
  agents: Agents;
  /** Access tokens that were minted. */
  tokens: OperationMethods<RareCalls["tokens"]>;
  apiKeys: OperationMethods<RareCalls["apiKeys"]>;
  /** Budgets, and approvals of what they don't allow. */
  budgets: OperationMethods<RareCalls["budgets"]>;
  /** Who changed what in the account. */
  audit: OperationMethods<RareCalls["audit"]>;
  /** Agents to pay, and signed offers. */
  discovery: OperationMethods<RareCalls["discovery"]>;
  /** Requests that were paid, refused or not settled, of a builder or a payer. */
  requests: OperationMethods<typeof requestReports & RareCalls["requests"]>;
  /** The plans that you ordered. */
  holdings: OperationMethods<RareCalls["holdings"]>;
  /** The builder's balance, statements, disputes, payouts and withdrawals; refunds and renewals, of either side. */
  money: OperationMethods<RareCalls["money"]>;
  webhooks: OperationMethods<RareCalls["webhooks"]>;
  alerts: OperationMethods<RareCalls["alerts"]>;
  /**
   * Your events, from `after` on or only new ones, until you stop: reconnects, resumes, and yields none twice. Throws
   * `conflict` when the service was restored from a copy that lacks the last event you have.
   *
   * @example for await (const event of payments.events({ after: lastSeenId })) await handle(event)
   */
  events(options?: EventStreamOptions): AsyncGenerator<AccountEvent, void>;
  /**
   * Fetches, and pays when asked to: reads the requirement, mints a token for its plan and agent, good
   * for this method and path alone, or reuses one, and repeats the request. A plan with credits left pays with
   * them. Another is ordered only within `maxSpend`, and one that is new to the account only when the call allows it.
   * Every request carries an `Idempotency-Key`, one for the whole call, and where the agent's gate takes signatures, the
   * token is bound to a key of this process and each request signed with it: no one else can use either. Throws `spending_not_allowed` before anything
   * is ordered, and what minting throws; a 402 it cannot pay comes back as it is, with `declined` telling why. A seller that
   * takes no plans is paid by `exact` from the account, or by `signer`, within the same limits; `outcome_unknown` says that
   * its answer was lost, and a call with the same `Idempotency-Key` never pays it twice, nor by a plan and by `exact`.
   *
   * @example
   * const { response, receipt } = await payments.fetch(url, { method: "POST", body }, { maxSpend: 500n })
   */
  fetch: ReturnType<typeof createPayingFetch>;
};

type PlanMethods = OperationMethods<typeof planReads & RareCalls["plans"]>;
type AgentMethods = OperationMethods<RareCalls["agents"]>;

interface Plans extends Omit<PlanMethods, "getPlanBalance"> {
  /** Gets an account's remaining credits on a plan (§2.13); by default those of the API key's account. */
  getPlanBalance(planId: string, holderAddress?: string): ReturnType<PlanMethods["getPlanBalance"]>;
}

interface Agents extends Omit<AgentMethods, "registerAgent"> {
  /**
   * Registers an agent and the plans it accepts; returns its id.
   *
   * @example await payments.agents.registerAgent({ name: "Translator" },
   *   { endpoints: [{ POST: "https://agent.example/translate" }] }, [planId])
   */
  registerAgent(...args: Parameters<AgentMethods["registerAgent"]>): Promise<{ agentId: string }>;
}

/**
 * The client. `Payments.getInstance` checks its options and sends nothing. Missing options come from the environment
 * variables `TURNPIKE_API_KEY` and `TURNPIKE_URL`. Without a key the first use throws `unauthorized`, so that a build
 * which only imports the module needs none.
 *
 * @example
 * const payments = Payments.getInstance();
 * await payments.plans.getPlanBalance(planId);
 */
export const Payments = { getInstance };

function getInstance(options: PaymentOptions = {}): Payments {
  const open = () => openInstance(options, readVariables());
  if (options.apiKey || readVariables().TURNPIKE_API_KEY) return open();
  let instance: Payments | undefined;
  return new Proxy({} as Payments, {
    get(_, name: keyof Payments) {
      // An async function may pass it on.
      if (!instance && NEVER.test(String(name))) return undefined;
      instance ??= open();
      return instance[name];
    },
  });
}

type Variables = Record<string, string | undefined>;

/** The process's environment, where the platform has one. */
const readVariables = (): Variables =>
  (globalThis as { process?: { env?: Variables } }).process?.env ?? {};

function openInstance(options: PaymentOptions, variables: Variables): Payments {
  const connection = createConnection({
    ...options,
    apiKey: options.apiKey || variables.TURNPIKE_API_KEY,
    baseUrl: options.baseUrl ?? (variables.TURNPIKE_URL || undefined),
  });
  const budgets = rareGroup(connection, "budgets");
  return {
    connection,
    environment: connection.environment,
    baseUrl: connection.baseUrl,
    accountAddress: connection.accountAddress,
    x402: rareGroup(connection, "x402", createX402(connection)),
    facilitator: createFacilitator(connection),
    delegation: rareGroup(connection, "delegation"),
    paymentMethods: rareGroup(connection, "paymentMethods"),
    plans: createPlans(connection),
    agents: createAgents(connection),
    tokens: rareGroup(connection, "tokens"),
    apiKeys: rareGroup(connection, "apiKeys"),
    audit: rareGroup(connection, "audit"),
    discovery: rareGroup(connection, "discovery"),
    budgets,
    requests: rareGroup(connection, "requests", createOperations(connection, requestReports)),
    holdings: rareGroup(connection, "holdings"),
    money: rareGroup(connection, "money"),
    webhooks: rareGroup(connection, "webhooks"),
    alerts: rareGroup(connection, "alerts"),
    async *events(options) {
      yield* (await loadRare()).streamEvents(connection, options);
    },
    fetch: createPayingFetch(connection, budgets.getApproval),
  };
}

function createPlans(connection: Connection): Plans {
  const own = createOperations(connection, planReads);
  const rare = rareGroup(connection, "plans");
  const methods = rareGroup(connection, "plans", {
    ...own,
    async updatePlan(...args: Parameters<typeof rare.updatePlan>) {
      const plan = await rare.updatePlan(...args);
      forgetPlan(connection, args[0]);
      return plan;
    },
    getPlanBalance: (planId: string, holderAddress = connection.accountAddress) =>
      own.getPlanBalance(planId, holderAddress),
  });
  return methods;
}

function createAgents(connection: Connection): Agents {
  const rare = rareGroup(connection, "agents");
  return rareGroup(connection, "agents", {
    async registerAgent(...args: Parameters<typeof rare.registerAgent>) {
      const { agentId } = await rare.registerAgent(...args);
      return { agentId };
    },
  });
}
