import { randomBytes } from "node:crypto";
import { createOperations, type OperationMethods, Payments } from "@turnpike/payments";
import {
  getFixedCreditsConfig,
  getFreePriceConfig,
  type PlanCreditsConfig,
  type PlanPriceConfig,
} from "@turnpike/payments/protocol";
import type { Hex } from "viem";
import { stableTokensOf } from "@/lib/adapters/chain/crypto-terms.ts";
import type { Deployment } from "@/lib/adapters/chain/deployment.ts";
import { createOwnerGrants } from "@/lib/adapters/chain/grants/owner-grants.ts";
import { smartAccount } from "@/lib/adapters/chain/smart-account.ts";
import { addressOfKey } from "@/lib/adapters/crypto/signatures.ts";
import { createAccounts } from "@/lib/adapters/db/accounts.ts";
import { createChainGrants } from "@/lib/adapters/db/chain/chain-grants.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createClock } from "@/lib/adapters/db/clock.ts";
import type { LedgerOptions } from "@/lib/adapters/db/ledger/ledger.ts";
import { email } from "@/lib/console/email-address.ts";
import { money } from "@/lib/console/money.ts";
import { figures, market, runs } from "@/lib/console/operations.ts";
import { createApiKey } from "@/lib/domain/accounts/api-keys.ts";
import type { SendMail } from "@/lib/domain/alerts/alert-ports.ts";
import type { CardProcessor } from "@/lib/domain/card-ports.ts";
import type { Context } from "@/lib/domain/context.ts";
import type { OwnerGrants } from "@/lib/domain/delegations/grant-ports.ts";
import type { ExactChain } from "@/lib/domain/exact/exact-ports.ts";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import type { Log, Ports } from "@/lib/domain/ports.ts";
import type { Rail } from "@/lib/domain/rails/rail.ts";
import type { Faucet } from "@/lib/domain/sandbox-ports.ts";
import { createFaultLab, type FaultLab } from "@/lib/sandbox/fault-lab.ts";
import { sandbox } from "@/lib/sandbox/operations.ts";
import { serveSandbox } from "@/lib/sandbox/sandbox-verbs.ts";
import { createApi } from "../http/api.ts";
import { createPipeline, type Pipeline } from "../pipeline/perform.ts";
import type { RateLimits } from "../pipeline/rate-limits.ts";
import { servedOperations } from "../pipeline/served-operations.ts";
import { createServices } from "../services.ts";
import type { OperationObserver } from "../watch/observe-operation.ts";
import {
  completeRails,
  type MoneyOut,
  pretendExact,
  pretendMoneyOut,
  testDeployment,
} from "./pretend-rail.ts";

export const TEST_ORIGIN = "http://service.test";
const noMoney: Faucet = { fund: async (account) => ({ account, usdc: "0", native: "0" }) };
const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

export type TestParty = {
  address: string;
  apiKey: string;
  payments: Payments;
  /** The dashboard's own operations, over the API. */
  figures: OperationMethods<typeof figures>;
  market: OperationMethods<typeof market>;
  runs: OperationMethods<typeof runs>;
  money: OperationMethods<typeof money>;
  email: OperationMethods<typeof email>;
  sandbox: OperationMethods<typeof sandbox>;
  context: Context;
  /** The key that owns the account, also where the service has it sealed. */
  ownerKey: Hex;
};

/**
 * With `walletKey`, a person's own wallet owns the account: the service does not have its key. With `testOf`, it is the
 * test customer of that account.
 */
export type PartyOptions = { isOperator?: boolean; walletKey?: Hex; testOf?: string };

export type TestService = {
  ports: Ports;
  /** The ports of reads. */
  reads: Ports;
  pipeline: Pipeline;
  lab: FaultLab;
  database: Database;
  fetch: typeof fetch;
  serve: (request: Request, about?: { address: string }) => Response | Promise<Response>;
  /** Calls the API as a party would without the SDK. */
  call: (
    party: TestParty | null,
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<Response>;
  party: (options?: PartyOptions) => Promise<TestParty>;
};

export type TestServiceOptions = {
  /** Rails that are not given are pretended. */
  rails?: Rail[];
  cards?: CardProcessor;
  exact?: ExactChain;
  ownerGrants?: OwnerGrants;
  salesStop?: () => string | null;
  faucet?: Faucet;
  findDomainProof?: Ports["findDomainProof"];
  /** What sends money out of the service; pretended by default. */
  moneyOut?: MoneyOut;
  lab?: FaultLab;
  log?: Log;
  /** What takes mail; by default it is lost. */
  sendMail?: SendMail;
  /** Notified of every operation that ran. */
  observe?: OperationObserver;
  limits?: RateLimits;
  ledger?: LedgerOptions;
  secretKey?: Uint8Array;
  /** Root keys that open secrets and seal none. */
  olderKeys?: Uint8Array[];
  deployment?: Deployment;
  /** Requests to agents, for tools of MCP. */
  outbound?: Outbound;
};

/** The real service on a database, its API a function: no port, no Next. */
export function createTestService(
  database: Database,
  options: TestServiceOptions = {},
): TestService {
  const deployment = options.deployment ?? testDeployment();
  const lab = options.lab ?? createFaultLab();
  const { money: ports, reads } = createServices({
    environment: "sandbox",
    database,
    secretKeys: [options.secretKey ?? randomBytes(32), ...(options.olderKeys ?? [])],
    deployment,
    addressOf: (owner) => smartAccount({ deployment, owner: owner as Hex }).address,
    rails: completeRails(options.rails ?? []),
    cards: options.cards ?? null,
    ...(options.findDomainProof && { findDomainProof: options.findDomainProof }),
    faucet: options.faucet ?? noMoney,
    faults: lab,
    ...(options.moneyOut ?? pretendMoneyOut(database)),
    ownerGrants:
      options.ownerGrants ??
      createOwnerGrants({
        deployment,
        store: createChainGrants(database.orm),
        accounts: createAccounts(database.orm),
        stableTokens: stableTokensOf(deployment),
        now: createClock(database).now,
      }),
    exact: options.exact ?? pretendExact(),
    ...(options.salesStop && { salesStop: options.salesStop }),
    sendMail: options.sendMail ?? (async () => {}),
    log: options.log ?? silent,
    ...(options.ledger && { ledger: options.ledger }),
  });
  const health = async () => ({
    ok: true,
    status: "ok" as const,
    environment: "sandbox" as const,
    version: "test",
    checks: {},
  });
  const pipeline = createPipeline({
    ports,
    reads,
    operations: [...servedOperations, ...serveSandbox(lab)],
    observe: options.observe,
    limits: options.limits,
  });
  const api = createApi({
    ports,
    pipeline,
    origin: TEST_ORIGIN,
    health,
    ...(options.outbound && { outbound: options.outbound }),
  });
  const fetchApi = (async (input: RequestInfo | URL, init?: RequestInit) =>
    api.fetch(new Request(input, init))) as typeof fetch;

  return {
    ports,
    reads,
    pipeline,
    lab,
    database,
    fetch: fetchApi,
    serve: api.fetch,
    call: (party, method, path, body) =>
      fetchApi(`${TEST_ORIGIN}/api/v1${path}`, {
        method,
        headers: {
          "content-type": "application/json",
          ...(party && { authorization: `Bearer ${party.apiKey}` }),
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    party: (options = {}) => createParty(ports, fetchApi, options),
  };
}

async function createParty(
  ports: Ports,
  fetchApi: typeof fetch,
  options: PartyOptions,
): Promise<TestParty> {
  const isOperator = options.isOperator ?? false;
  const ownerKey: Hex = options.walletKey ?? `0x${randomBytes(32).toString("hex")}`;
  const owner = addressOfKey(Buffer.from(ownerKey.slice(2), "hex"));
  const address = ports.addresses.addressOf(owner);
  await ports.accounts.ensure({
    address,
    owner,
    ownerKey: options.walletKey
      ? null
      : ports.crypto.seal(ownerKey, { purpose: "account-owner", row: owner }),
    isOperator,
    testOf: options.testOf ?? null,
    createdAt: await ports.clock.now(),
  });
  const context: Context = {
    ports,
    caller: { account: address, keyId: null, isOperator },
    keyHash: null,
    requestId: "test",
  };
  const { apiKey } = await createApiKey(context, { name: "test" });
  const payments = Payments.getInstance({
    apiKey,
    environment: "sandbox",
    baseUrl: TEST_ORIGIN,
    fetch: fetchApi,
  });
  const { connection } = payments;
  return {
    address,
    apiKey,
    payments,
    figures: createOperations(connection, figures),
    market: createOperations(connection, market),
    runs: createOperations(connection, runs),
    money: createOperations(connection, money),
    email: createOperations(connection, email),
    sandbox: createOperations(connection, sandbox),
    context,
    ownerKey,
  };
}

export type TestMarket = {
  builder: TestParty;
  subscriber: TestParty;
  planId: string;
  agentId: string;
  endpoint: string;
  token: string;
  tokenId: string;
};

/** A builder with a plan and an agent, and a subscriber who ordered it and minted a token. */
export async function createMarket(
  service: TestService,
  terms: {
    price?: PlanPriceConfig;
    credits?: PlanCreditsConfig;
    isTrial?: boolean;
    redemptionLimit?: number;
    leaseSecs?: number;
    order?: boolean;
  } = {},
): Promise<TestMarket> {
  const [builder, subscriber] = await Promise.all([service.party(), service.party()]);
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "Starter", isTrialPlan: terms.isTrial ?? false },
    terms.price ?? getFreePriceConfig(),
    terms.credits ?? getFixedCreditsConfig(100n, 1n),
  );
  const endpoint = "https://agent.example/ask";
  const { agentId } = await builder.payments.agents.registerAgent(
    { name: "Reader" },
    { endpoints: [{ POST: endpoint }], agentDefinitionUrl: "https://agent.example/openapi.json" },
    [planId],
  );
  if (terms.order !== false) await subscriber.payments.plans.orderPlan(planId);
  const { accessToken, tokenId } = await subscriber.payments.x402.getX402AccessToken(
    planId,
    agentId,
    {
      redemptionLimit: terms.redemptionLimit ?? 1_000_000,
      ...(terms.leaseSecs !== undefined && { leaseSecs: terms.leaseSecs }),
    },
  );
  return { builder, subscriber, planId, agentId, endpoint, token: accessToken, tokenId };
}
