import {
  buildPaymentRequired,
  decodeAccessToken,
  getCryptoPriceConfig,
  getExpirableDurationConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  type OperationName,
  type SharedRun,
} from "@turnpike/payments/protocol";
import type { SampleWorld } from "./sample-world.ts";
import type { TestMarket } from "./test-service.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";

/** What the market's agent asks for. */
export const requirementOf = ({
  planId,
  agentId,
  endpoint,
}: Pick<TestMarket, "planId" | "agentId" | "endpoint">) =>
  buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" });

const metadata = {
  name: "Sample",
  description: "What it does.",
  author: "Ada",
  license: "MIT",
  tags: ["one", "two"],
  integration: "http",
  sampleLink: "https://sample.example/",
  apiDescription: "POST text, get text.",
  dateCreated: "2026-01-31",
};
const api = {
  endpoints: [{ POST: "https://agent.example/:id" }, { verb: "GET", url: "/status" }],
  openEndpoints: ["/health"],
  agentDefinitionUrl: "https://agent.example/openapi.json",
  authType: "BASIC",
  username: "user",
  password: "pass",
  token: "token",
  apiKey: "key",
  headers: { "x-extra": "1" },
};
const price = { ...getFreePriceConfig(), amounts: [] as string[] };
const paidPrice = {
  ...getCryptoPriceConfig(5n, RECEIVER),
  amounts: ["5"],
};
const wire = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value, (_key, item) => (typeof item === "bigint" ? `${item}` : item)));
const credits = wire({ ...getFixedCreditsConfig(100n, 2n), nftAddress: RECEIVER });
const timeCredits = wire(getExpirableDurationConfig(3600n));
const page = { limit: 5, page: 1, offset: 5, pageSize: 5 };

type Samples = { [K in OperationName]: (world: SampleWorld) => Record<string, unknown> };

/** A good input for every operation, with its optional members; a new operation does not compile without one. */
export const samples: Samples = {
  registerCreditsPlan: () => ({
    metadataAttributes: metadata,
    priceConfig: paidPrice,
    creditsConfig: credits,
    accessLimit: "credits",
    isTrialPlan: false,
    state: "unlisted",
    redeemers: [RECEIVER],
  }),
  registerTimePlan: () => ({
    metadataAttributes: metadata,
    priceConfig: price,
    creditsConfig: timeCredits,
    accessLimit: "time",
  }),
  listPlans: () => page,
  listPublicPlans: () => ({ ...page, search: "Sample" }),
  getPlan: ({ planId }) => ({ planId }),
  updatePlan: ({ spare }) => ({
    planId: spare.planId,
    metadataAttributes: metadata,
    creditsConfig: credits,
    priceConfig: price,
    state: "unlisted",
    redeemers: [RECEIVER],
  }),
  getPlanAgents: ({ planId }) => ({ planId, ...page }),
  getPlanBalance: ({ planId, subscriber }) => ({ planId, holderAddress: subscriber.address }),
  listSubscribers: ({ planId }) => ({ planId, ...page }),
  orderPlan: ({ planId }) => ({ planId }),
  listOrders: ({ planId }) => ({ ...page, planId, status: "minted" }),
  listSubscriptions: ({ planId }) => ({ ...page, planId }),
  getOrder: ({ spare }) => ({ orderId: spare.orderId }),
  registerAgent: ({ planId }) => ({
    metadataAttributes: metadata,
    agentApiAttributes: api,
    plans: [planId],
  }),
  updateAgent: ({ spare }) => ({
    agentId: spare.agentId,
    metadataAttributes: metadata,
    agentApiAttributes: api,
  }),
  getAgent: ({ agentId }) => ({ agentId }),
  listAgents: () => page,
  registerAgentAndPlan: () => ({
    agent: { metadataAttributes: metadata, agentApiAttributes: api },
    plan: { metadataAttributes: metadata, priceConfig: price, creditsConfig: credits },
  }),
  getAgentPlans: ({ agentId }) => ({ agentId, ...page }),
  addPlanToAgent: ({ spare }) => ({ agentId: spare.agentId, planId: spare.planId }),
  removePlanFromAgent: ({ spare }) => ({ agentId: spare.agentId, planId: spare.planId }),
  getX402AccessToken: ({ planId, agentId }) => ({
    accepted: {
      scheme: "svc:erc4337",
      network: "eip155:84532",
      planId,
      extra: { planId, agentId, httpVerb: "POST" },
    },
    delegationConfig: {
      spendingLimitCents: "1000",
      durationSecs: 3600,
      currency: "usd",
      maxTransactions: 3,
    },
    resource: { url: "https://agent.example/ask" },
    httpVerb: "POST",
    redemptionLimit: 10,
    orderLimit: "100",
    expiration: "2100-01-01T00:00:00Z",
  }),
  listTokens: ({ planId, agentId, spare }) => ({
    ...page,
    planId,
    agentId,
    delegationId: spare.delegationId,
  }),
  getToken: ({ spare }) => ({ tokenId: spare.tokenId }),
  revokeToken: ({ spare }) => ({ tokenId: spare.tokenId }),
  verifyPermissions: (world) => ({
    paymentRequired: requirementOf(world),
    x402AccessToken: world.token,
    maxAmount: "1",
    reserve: false,
    agentRequestId: freshId(),
  }),
  settlePermissions: (world) => ({
    paymentRequired: requirementOf(world),
    x402AccessToken: world.token,
    maxAmount: "1",
    agentRequestId: freshId(),
  }),
  releasePermissions: ({ spare }) => ({ agentRequestId: spare.heldId }),
  getSettlement: ({ spare }) => ({ agentRequestId: spare.settledId }),
  supported: () => ({}),
  createDelegation: ({ planId }) => ({
    provider: "erc4337",
    spendingLimitCents: "1000",
    durationSecs: 3600,
    currency: "usd",
    name: "For a while",
    maxTransactions: 5,
    orderLimit: "7",
    planIds: [planId],
    planId,
  }),
  listDelegations: () => page,
  getDelegation: ({ spare }) => ({ delegationId: spare.delegationId }),
  revokeDelegation: ({ spare }) => ({ delegationId: spare.delegationId }),
  getGrant: ({ spare }) => ({ delegationId: spare.unsignedGrantId }),
  submitGrantSignature: ({ spare }) => ({
    delegationId: spare.unsignedId,
    signature: spare.grantSignature,
  }),
  getDelegationEffects: ({ spare }) => ({ delegationId: spare.delegationId }),
  revokeAllDelegations: () => ({}),
  listPaymentMethods: () => ({}),
  addPaymentMethod: () => ({ testCard: "pm_card_visa" }),
  finishPaymentMethod: ({ builder }) => ({ setupIntentId: `seti_${builder.address}` }),
  setDefaultPaymentMethod: ({ builder }) => ({ paymentMethodId: `pm_${builder.address}` }),
  removePaymentMethod: ({ builder }) => ({
    paymentMethodId: `pm_${builder.address}`,
    dryRun: true,
  }),
  orderFiatPlan: ({ spare }) => ({
    planId: spare.cardPlanId,
    sessionType: "embedded",
    idempotencyKey: "sample-checkout",
  }),
  createApiKey: () => ({
    name: "another",
    durationSecs: 3600,
    rootLimit: {
      spendingLimitCents: "1000",
      durationSecs: 3600,
      currency: "usd",
      maxTransactions: 3,
    },
  }),
  listApiKeys: () => ({}),
  revokeApiKey: ({ spare }) => ({ keyId: spare.keyId }),
  listRequests: ({ planId, agentId, subscriber }) => ({
    ...page,
    planId,
    agentId,
    role: "builder",
    moneyStatus: "settled,unknown",
    httpStatus: "2xx",
    payer: subscriber.address,
    since: "2026-01-01T00:00:00Z",
    until: "2100-01-01T00:00:00Z",
    search: "sample",
  }),
  getRequest: ({ spare }) => ({ agentRequestId: spare.settledId }),
  reportRequests: ({ planId, agentId }) => ({
    batchId: freshId(),
    requests: [
      {
        agentRequestId: freshId(),
        at: new Date().toISOString(),
        method: "POST",
        path: "/ask",
        planId,
        agentId,
        httpStatus: 402,
        moneyStatus: "refused",
        reason: "expired_token",
        verifyMs: 1.5,
        workMs: 20,
        settleMs: 2,
      },
    ],
  }),
  listUnsettledRequests: ({ planId, agentId }) => ({ ...page, planId, agentId }),
  settleRequest: ({ spare }) => ({ agentRequestId: spare.heldToSettleId, maxAmount: "1" }),
  writeOffRequest: ({ spare }) => ({ agentRequestId: spare.heldToGiveUpId, note: "given up" }),
  getReceipt: ({ spare }) => ({ settlementId: spare.settlementId }),
  getActivitySeries: ({ planId, agentId }) => ({ range: "24h", role: "builder", planId, agentId }),
  getFunnel: ({ planId, agentId }) => ({ range: "7d", planId, agentId, includeOwn: true }),
  getEarnings: () => ({ range: "30d", includeOwn: true }),
  getHome: () => ({}),
  shareRun: () => ({ run: JSON.stringify(sharedRunSample) }),
  listSharedRuns: () => ({}),
  getSharedRun: ({ spare }) => ({ shareId: spare.shareId }),
  endSharedRun: ({ spare }) => ({ shareId: spare.shareToEndId }),
  fund: () => ({ usdc: true, native: true }),
  injectFault: () => ({ fault: "card-slow", times: 1, durationSecs: 60, delayMs: 10 }),
  listFaults: () => ({}),
  clearFaults: () => ({}),
  advanceClock: () => ({ seconds: 1 }),
};

/** Verify's and settle's question in the stock facilitator's form. */
export function facilitatorSample(world: SampleWorld): Record<string, unknown> {
  const [paymentRequirements] = requirementOf(world).accepts;
  return {
    x402Version: 2,
    paymentPayload: { ...decodeAccessToken(world.token), resource: { url: world.endpoint } },
    paymentRequirements,
  };
}

let ids = 0;
export const freshId = (): string => `request-${(++ids).toString().padStart(12, "0")}`;

/** A run of the playground that ended at the offer. */
export const sharedRunSample: SharedRun = {
  input: { method: "POST", url: "https://agent.example/ask", headers: [], body: "{}" },
  startedAt: "2026-01-01T00:00:00.000Z",
  steps: (["ask", "offer", "permission", "verify", "pay", "settle"] as const).map((id) => ({
    id,
    status: "skipped",
    outcome: "not-asked",
    values: {},
    facts: [],
    durationMs: 0,
    exchange: null,
    reason: null,
  })),
  money: "challenged",
  agentRequestId: null,
  requirement: null,
  planId: null,
  planName: null,
  credits: null,
};
