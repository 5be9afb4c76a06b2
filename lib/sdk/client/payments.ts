import type { InputOf, OutputOf } from "../protocol/operations.ts";
import { createAgents } from "./agents.ts";
import { call } from "./call.ts";
import { type Connection, createConnection, type PaymentOptions } from "./connection.ts";
import { createFacilitator } from "./facilitator.ts";
import { createPayingFetch } from "./paying-fetch.ts";
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
    plans: createPlans(connection),
    agents: createAgents(connection),
    tokens: createTokens(connection),
    apiKeys: createApiKeys(connection),
    requests: createRequests(connection),
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
  };
}

function createTokens(connection: Connection) {
  return {
    /** Lists your access tokens; the tokens themselves are not shown again. */
    listTokens: (page: InputOf<"listTokens"> = {}) => call(connection, "listTokens", page),
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
  };
}

function createSandbox(connection: Connection) {
  return {
    /** Moves the sandbox's clock forward; throws `not_found` outside the sandbox. */
    advanceClock: (seconds: number) => call(connection, "advanceClock", { seconds }),
  };
}
