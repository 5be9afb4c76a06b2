import { getExpirableDurationConfig, getFixedCreditsConfig } from "../plans/credits-builders.ts";
import { getFiatPriceConfig, getFreePriceConfig } from "../plans/price-builders.ts";

const ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const UUID = "0f8fad5b-d9cb-469f-a165-70867728950e";

/** What the API reference shows. */
export const EXAMPLES = {
  planId: "42",
  agentId: "7",
  endpoint: "https://agent.example/ask",
  token: "eyJ4NDAyVmVyc2lvbiI6Mn0=",
  builder: { address: ADDRESS },
  subscriber: { address: ADDRESS },
  /** A new request id with each call. */
  freshId: () => `req_${UUID}`,
  /** ISO 8601. */
  now: "2026-01-31T12:00:00.000Z",
  /** Objects that a sample may change, revoke or remove. */
  spare: {
    planId: "43",
    cardPlanId: "44",
    agentId: "8",
    endingPlanId: "45",
    endingAgentId: "9",
    tokenId: UUID,
    delegationId: UUID,
    keyId: UUID,
    shareId: UUID,
    shareToEndId: UUID,
    orderId: UUID,
    /** An order by card of the caller's plan, and one of their own. */
    soldOrderId: UUID,
    cardOrderId: UUID,
    /** A time plan that the caller ordered, and a delegation that can pay for it. */
    timePlanId: "46",
    renewingDelegationId: UUID,
    refundId: UUID,
    chainRefundId: UUID,
    refundToDeclineId: UUID,
    disputeId: UUID,
    approvalId: UUID,
    approvalToDeclineId: UUID,
    settledId: `req_${UUID}`,
    settlementId: UUID,
    heldId: `req_${UUID}`,
    heldToSettleId: `req_${UUID}`,
    heldToGiveUpId: `req_${UUID}`,
    unsignedId: UUID,
    unsignedGrantId: UUID,
    grantSignature: `0x${"11".repeat(65)}`,
    endpointId: UUID,
    alertRuleId: UUID,
    alertRuleToDeleteId: UUID,
    /** Of the link in a mail. */
    emailSecret: UUID,
    endpointToDeleteId: UUID,
    /** The id of an event. */
    deliveryId: "evt_1_0123456789abcdef",
  },
};

/** The ids and tokens that samples are made of: fixed ones in the docs, real ones in tests. */
export type Examples = typeof EXAMPLES;

const inJson = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value, (_key, item) => (typeof item === "bigint" ? `${item}` : item)));

/** The page members of a list's sample. */
export const samplePage = { limit: 5, page: 1, offset: 5, pageSize: 5 };

/** Limits of a delegation. */
export const sampleLimits = {
  spendingLimitCents: "1000",
  durationSecs: 3600,
  currency: "usd",
  maxTransactions: 3,
};

export const sampleFreePrice = inJson(getFreePriceConfig());

/** A plan with every optional member: credits for 5.00 USD by card, or an hour for nothing. */
export const samplePlan = (kind: "credits" | "time", receiver: string) => ({
  metadataAttributes: sampleMetadata,
  priceConfig: kind === "time" ? sampleFreePrice : inJson(getFiatPriceConfig(5_000_000n, receiver)),
  creditsConfig: inJson(
    kind === "time"
      ? getExpirableDurationConfig(3600n)
      : { ...getFixedCreditsConfig(100n, 2n), nftAddress: ADDRESS },
  ),
});

const sampleMetadata = {
  name: "Sample",
  description: "What it does.",
  author: "Jane Doe",
  license: "MIT",
  tags: ["one", "two"],
  integration: "http",
  sampleLink: "https://sample.example/",
  apiDescription: "POST text, get text.",
  dateCreated: "2026-01-31",
};

/** An agent with every optional member, and an endpoint that no other has. */
export const sampleAgent = ({ freshId }: Pick<Examples, "freshId">) => ({
  metadataAttributes: sampleMetadata,
  agentApiAttributes: {
    endpoints: [
      { POST: `https://agent.example/${freshId()}/:id` },
      { verb: "GET", url: "/status" },
    ],
    openEndpoints: ["/health"],
    agentDefinitionUrl: "https://agent.example/openapi.json",
    authType: "BASIC",
    username: "user",
    password: "pass",
    token: "token",
    apiKey: "key",
    headers: { "x-extra": "1" },
  },
});
