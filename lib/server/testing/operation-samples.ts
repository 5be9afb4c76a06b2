import {
  buildPaymentRequired,
  decodeAccessToken,
  getCryptoPriceConfig,
  getExpirableDurationConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  type OperationName,
} from "@turnpike/payments/protocol";
import { createMarket, type TestMarket, type TestParty, type TestService } from "./test-service.ts";

/** Everything the samples name, and spare rows for those that change or end what they name. */
export type SampleWorld = TestMarket & {
  spare: {
    planId: string;
    agentId: string;
    tokenId: string;
    delegationId: string;
    keyId: string;
    orderId: string;
    settledId: string;
    heldId: string;
  };
};

const RECEIVER = "0x000000000000000000000000000000000000dEaD";

/** A market, and beside it one of each thing that samples revoke, change or read. */
export async function createSampleWorld(service: TestService): Promise<SampleWorld> {
  const market = await createMarket(service, { credits: getFixedCreditsConfig(1_000_000n, 1n) });
  const { builder, planId, agentId } = market;
  const mint = (party: TestParty) => party.payments.x402.getX402AccessToken(planId, agentId);
  const { planId: sparePlan } = await builder.payments.plans.registerCreditsPlan(
    { name: "Spare" },
    getFreePriceConfig(),
    getFixedCreditsConfig(10n),
  );
  const { agentId: spareAgent } = await builder.payments.agents.registerAgent(
    { name: "Spare" },
    {},
  );
  // One party plays every part in the samples: it sells, and it buys from itself.
  const own = await mint(builder);
  const { delegationId } = await mint(builder);
  const { orderId } = await builder.payments.plans.orderPlan(planId);
  const key = await service.call(builder, "POST", "/api-keys", { name: "spare" });
  const { keyId } = (await key.json()) as { keyId: string };
  const settledId = `sample-settled-${freshId()}`;
  await builder.payments.facilitator.settlePermissions({
    paymentRequired: requirementOf(market),
    x402AccessToken: market.token,
    agentRequestId: settledId,
  });
  const heldId = `sample-held-${freshId()}`;
  await builder.payments.facilitator.verifyPermissions({
    paymentRequired: requirementOf(market),
    x402AccessToken: market.token,
    reserve: true,
    agentRequestId: heldId,
  });
  return {
    ...market,
    spare: {
      planId: sparePlan,
      agentId: spareAgent,
      tokenId: own.tokenId,
      delegationId,
      keyId,
      orderId,
      settledId,
      heldId,
    },
  };
}

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
  author: "Somebody",
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
  listTokens: ({ planId }) => ({ ...page, planId }),
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
    maxTransactions: 5,
    orderLimit: "7",
    planIds: [planId],
    planId,
  }),
  listDelegations: () => page,
  getDelegation: ({ spare }) => ({ delegationId: spare.delegationId }),
  revokeDelegation: ({ spare }) => ({ delegationId: spare.delegationId }),
  listPaymentMethods: () => ({}),
  createApiKey: () => ({ name: "another", durationSecs: 3600 }),
  listApiKeys: () => ({}),
  revokeApiKey: ({ spare }) => ({ keyId: spare.keyId }),
  listRequests: ({ planId }) => ({ ...page, planId, role: "builder" }),
  getRequest: ({ spare }) => ({ agentRequestId: spare.settledId }),
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
