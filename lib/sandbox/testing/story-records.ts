import { encodeAccessToken } from "@turnpike/payments/protocol";

// The story's objects as the service answers them.

export const SUBSCRIBER = "0x2222222222222222222222222222222222222222";
export const BUILDER = "0x1111111111111111111111111111111111111111";
export const AGENT_ID = "agent-7";
export const NAMES: Record<string, string> = {
  1: "Starter",
  2: "Starter by card",
  3: "Free trial",
};
const SIGNATURE = `0x${"ab".repeat(65)}`;

export const agent = () => ({
  id: AGENT_ID,
  agentId: AGENT_ID,
  owner: BUILDER,
  plans: ["1", "2", "3"],
  metadata: {
    main: { name: "Demo agent" },
    agent: { endpoints: [{ POST: "/ask" }], openEndpoints: [], authType: "NONE" },
  },
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
});

export const plan = (planId: string) => ({
  id: planId,
  planId,
  owner: BUILDER,
  state: "listed",
  version: 1,
  scheme: planId === "2" ? "svc:card-delegation" : "svc:erc4337",
  metadata: {
    main: { name: NAMES[planId] },
    plan: { accessLimit: "credits", isTrialPlan: planId === "3" },
  },
  registry: {
    price: {
      amounts: planId === "3" ? [] : ["10000000"],
      isCrypto: planId !== "2",
      receivers: planId === "3" ? [] : [BUILDER],
      tokenAddress: BUILDER,
      currency: "USDC",
    },
    credits: { isRedemptionAmountFixed: true, amount: "100" },
  },
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
});

export const delegation = () => ({
  delegationId: "del_1",
  provider: "erc4337",
  status: "Active",
  sessionKeyAddress: BUILDER,
  planIds: [],
  spendingLimitCents: "1000",
  amountSpentCents: "0",
  amountReservedCents: "0",
  remainingBudgetCents: "1000",
  currency: "usd",
  transactionCount: 0,
  activeTokens: 0,
  rootOf: [],
  expiresAt: "2030-01-01T00:00:00.000Z",
  createdAt: "2026-01-01T00:00:00.000Z",
});

export const token = (planId: string) => ({
  accessToken: encodeAccessToken({
    x402Version: 2,
    payload: {
      signature: SIGNATURE,
      authorization: { from: SUBSCRIBER, planId, agentId: AGENT_ID },
      sessionKey: {
        address: BUILDER,
        permissions: ["order", "burn"],
        limits: { redemptionLimit: 100, orderLimit: "10000000" },
      },
    },
    signature: SIGNATURE,
  }),
  tokenId: "tok_1",
  delegationId: "del_1",
  expiresAt: "2030-01-01T00:00:00.000Z",
});
