import type { InputOf, OutputOf } from "../protocol/operations.ts";
import { createAgents } from "./agents.ts";
import { call } from "./call.ts";
import { type Connection, createConnection, type PaymentOptions } from "./connection.ts";
import { createFacilitator } from "./facilitator.ts";
import { createPayingFetch } from "./paying-fetch.ts";
import { createPaymentMethods } from "./payment-methods.ts";
import { createPlans } from "./plans.ts";
import { createX402 } from "./x402.ts";

/** One account's client: the operations of the service, grouped as the specification groups them (§4.1). */
export type Payments = ReturnType<typeof getInstance>;

/**
 * The client's door. `Payments.getInstance` checks its options at once and calls nobody.
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
    delegation: createDelegations(connection),
    paymentMethods: createPaymentMethods(connection),
    plans: createPlans(connection),
    agents: createAgents(connection),
    tokens: createTokens(connection),
    apiKeys: createApiKeys(connection),
    requests: createRequests(connection),
    figures: createFigures(connection),
    holdings: createHoldings(connection),
    runs: createRuns(connection),
    sandbox: createSandbox(connection),
    fetch: createPayingFetch(connection, x402),
  };
}

function createDelegations(connection: Connection) {
  return {
    /** Allows spending up to a limit, in minor currency units, for a time in seconds (§2.3). */
    createDelegation: (
      delegation: InputOf<"createDelegation">,
    ): Promise<OutputOf<"createDelegation">> => call(connection, "createDelegation", delegation),
    /** Lists your saved cards. */
    listPaymentMethods: () => call(connection, "listPaymentMethods", {}),
    /** Lists your delegations and what is left of them. */
    listDelegations: (page: InputOf<"listDelegations"> = {}) =>
      call(connection, "listDelegations", page),
    /** Reads one of your delegations. Throws `not_found`. */
    getDelegation: (delegationId: string) => call(connection, "getDelegation", { delegationId }),
    /** Revokes a delegation and every token under it, at once. */
    revokeDelegation: (delegationId: string) =>
      call(connection, "revokeDelegation", { delegationId }),
    /** Reads what the owner's wallet has to sign before the delegation begins. Throws `conflict`. */
    getGrant: (delegationId: string) => call(connection, "getGrant", { delegationId }),
    /** Hands in the wallet's EIP-712 signature of the grant; the delegation begins. */
    submitGrantSignature: (delegationId: string, signature: string) =>
      call(connection, "submitGrantSignature", { delegationId, signature }),
    /** Reads what would stop if the delegation were revoked. */
    getDelegationEffects: (delegationId: string) =>
      call(connection, "getDelegationEffects", { delegationId }),
    /** Revokes all your delegations and every token under them, at once. */
    revokeAllDelegations: () => call(connection, "revokeAllDelegations", {}),
  };
}

function createTokens(connection: Connection) {
  return {
    /** Lists your access tokens; the tokens themselves are not shown again. */
    listTokens: (page: InputOf<"listTokens"> = {}) => call(connection, "listTokens", page),
    /** Reads one of your tokens with its limits and its delegation. Throws `not_found`. */
    getToken: (tokenId: string) => call(connection, "getToken", { tokenId }),
    /** Revokes an access token at once. */
    revokeToken: (tokenId: string) => call(connection, "revokeToken", { tokenId }),
  };
}

function createApiKeys(connection: Connection) {
  return {
    /** Makes an API key; the answer is the only place that shows it. */
    createApiKey: (key: InputOf<"createApiKey">) => call(connection, "createApiKey", key),
    /** Lists your API keys, never the keys themselves. */
    listApiKeys: () => call(connection, "listApiKeys", {}),
    /** Revokes an API key; its next request is refused. */
    revokeApiKey: (keyId: string) => call(connection, "revokeApiKey", { keyId }),
  };
}

function createRequests(connection: Connection) {
  return {
    /** Lists paid requests you served, or with `role: "subscriber"` made, newest first. */
    listRequests: (page: InputOf<"listRequests"> = {}) => call(connection, "listRequests", page),
    /** Reads one paid request you made or served. */
    getRequest: (agentRequestId: string) => call(connection, "getRequest", { agentRequestId }),
    /** Lists what you delivered and was not settled, and what can be done about each. */
    listUnsettledRequests: (page: InputOf<"listUnsettledRequests"> = {}) =>
      call(connection, "listUnsettledRequests", page),
    /** Settles a delivered request by the record of its hold; no token needed, once per request. */
    settleRequest: (agentRequestId: string, maxAmount?: bigint | string) =>
      call(connection, "settleRequest", { agentRequestId, ...(maxAmount && { maxAmount }) }),
    /** Gives up a request that is not settled; what is on hold goes back. */
    writeOffRequest: (agentRequestId: string, note?: string) =>
      call(connection, "writeOffRequest", { agentRequestId, ...(note && { note }) }),
    /** Reads a settlement with the proof of its burn; needs no key. Throws `not_found`. */
    getReceipt: (settlementId: string) => call(connection, "getReceipt", { settlementId }),
    /** Tells what a gate saw of at most 200 requests; the same `batchId` again changes nothing. */
    reportRequests: (report: InputOf<"reportRequests">) =>
      call(connection, "reportRequests", report),
  };
}

function createHoldings(connection: Connection) {
  return {
    /** Lists the plans you have and what is left of them. */
    listSubscriptions: (page: InputOf<"listSubscriptions"> = {}) =>
      call(connection, "listSubscriptions", page),
    /** Lists what you ordered, refused orders included, newest first. */
    listOrders: (page: InputOf<"listOrders"> = {}) => call(connection, "listOrders", page),
  };
}

function createFigures(connection: Connection) {
  return {
    /** Counts requests by money status over 24 hours, 7 or 30 days. */
    getActivitySeries: (query: InputOf<"getActivitySeries"> = {}) =>
      call(connection, "getActivitySeries", query),
    /** Counts requests from the first 402 to the money, without what you paid yourself. */
    getFunnel: (query: InputOf<"getFunnel"> = {}) => call(connection, "getFunnel", query),
    /** Reads what your plans sold and your agents served, in exact amounts per currency. */
    getEarnings: (query: InputOf<"getEarnings"> = {}) => call(connection, "getEarnings", query),
    /** Reads the figures of the first page. */
    getHome: () => call(connection, "getHome", {}),
  };
}

function createRuns(connection: Connection) {
  return {
    /** Shares a run of the playground, given as JSON text, for seven days; secrets are taken out first. */
    shareRun: (run: string) => call(connection, "shareRun", { run }),
    /** Lists the runs you share, newest first. */
    listSharedRuns: () => call(connection, "listSharedRuns", {}),
    /** Reads a shared run; needs no key. Throws `not_found` once its link has ended. */
    getSharedRun: (shareId: string) => call(connection, "getSharedRun", { shareId }),
    /** Ends a link of yours at once. Throws `not_found`. */
    endSharedRun: (shareId: string) => call(connection, "endSharedRun", { shareId }),
  };
}

function createSandbox(connection: Connection) {
  return {
    /** Fills your account up with test dollars, the chain's own coin, or both. */
    fund: (wanted: InputOf<"fund"> = {}) => call(connection, "fund", wanted),
    /** Makes a part of the sandbox fail, so many times or for so long, for everyone in it. */
    injectFault: (fault: InputOf<"injectFault">) => call(connection, "injectFault", fault),
    /** Lists the faults that are armed. */
    listFaults: () => call(connection, "listFaults", {}),
    /** Ends every fault, or the one that is named. */
    clearFaults: (faultId?: string) =>
      call(connection, "clearFaults", { ...(faultId !== undefined && { faultId }) }),
    /** Moves the sandbox's clock forward; throws `not_found` outside the sandbox. */
    advanceClock: (seconds: number) => call(connection, "advanceClock", { seconds }),
  };
}
