import { encodeAccessToken } from "../protocol/access-token.ts";
import type { AccessToken } from "../protocol/access-token-schema.ts";
import { ZERO_ADDRESS } from "../protocol/address.ts";
import { encodeBase64 } from "../protocol/encoding/base64.ts";
import type { Plan } from "../protocol/plans/plan.ts";

export const SUBSCRIBER = "0x52908400098527886E0F7030069857D2E4169EE7";
export const BUILDER = "0x8617E340B3D01FA5F11F306F4090FD50E238070D";

/** A well-formed API key that no service knows. */
export function apiKeyOf(sub: string, environment = "sandbox"): string {
  const base64url = (value: unknown) =>
    encodeBase64(JSON.stringify(value))
      .replace(/=+$/, "")
      .replaceAll("+", "-")
      .replaceAll("/", "_");
  const header = base64url({ alg: "HS256" });
  return `svc-${environment}:${header}.${base64url({ sub, jti: "k1" })}.c2lnbmF0dXJl`;
}

/** A well-formed token document with a meaningless signature. */
export function tokenOf(planId: string, agentId?: string): AccessToken {
  const signature = `0x${"1b".repeat(65)}`;
  return {
    x402Version: 2,
    accepted: { scheme: "svc:erc4337", network: "eip155:84532", planId },
    payload: {
      signature,
      authorization: { from: SUBSCRIBER, planId, ...(agentId && { agentId }), jti: "t1" },
      sessionKey: {
        address: BUILDER,
        permissions: ["order", "burn"],
        limits: { redemptionLimit: 100, orderLimit: "1000000" },
      },
    },
    signature,
    extensions: {},
  };
}

/** The token's text, bound to the key that it is asked for with. */
export function boundTokenText(token: AccessToken, { cnf }: FakeCall["body"]): string {
  Object.assign(token.payload.authorization, cnf && { cnf });
  return encodeAccessToken(token);
}

export const tokenTextOf = (planId: string, agentId?: string) =>
  encodeAccessToken(tokenOf(planId, agentId));

type PlanTerms = { isCrypto?: boolean; minAmount?: bigint; maxAmount?: bigint };

export function planOf(planId: string, terms: PlanTerms = {}): Plan {
  const { isCrypto = true, minAmount = 1n, maxAmount = 10n } = terms;
  return {
    id: planId,
    planId,
    owner: BUILDER,
    state: "listed",
    version: 1,
    scheme: isCrypto ? "svc:erc4337" : "svc:card-delegation",
    metadata: {
      main: { name: `Plan ${planId}` },
      plan: {
        accessLimit: "credits",
        isTrialPlan: false,
        orderCost: { currency: "usd", cents: 100n },
      },
    },
    registry: {
      price: {
        tokenAddress: ZERO_ADDRESS,
        amounts: [1_000_000n],
        receivers: [BUILDER],
        contractAddress: ZERO_ADDRESS,
        feeController: ZERO_ADDRESS,
        externalPriceAddress: ZERO_ADDRESS,
        templateAddress: ZERO_ADDRESS,
        isCrypto,
      },
      credits: {
        isRedemptionAmountFixed: false,
        redemptionType: 4,
        proofRequired: false,
        holderRequired: false,
        durationSecs: 0n,
        amount: "100",
        minAmount,
        maxAmount,
      },
    },
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
  };
}

/** Where tests' agents are called, besides this machine. */
const ORIGINS = [
  "https://agent.example",
  "http://agent.test",
  "https://agent.test",
  "https://seller.example",
  "https://other.example",
];

export const agentOf = (agentId: string, origins = ORIGINS) => ({
  id: agentId,
  agentId,
  owner: BUILDER,
  metadata: {
    main: { name: `Agent ${agentId}` },
    agent: {
      endpoints: origins.map((origin) => ({ POST: `${origin}/ask` })),
      openEndpoints: [],
      authType: "NONE",
    },
  },
  plans: ["42"],
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
});

export const pageOfAgents = (agents: object[]) => ({
  items: agents,
  agents,
  total: agents.length,
  totalResults: agents.length,
  page: 1,
  offset: 25,
});

export type FakeCall = {
  name: string;
  method: string;
  url: string;
  path: string;
  headers: Headers;
  redirect: RequestRedirect;
  body: Record<string, unknown>;
};

export type Handler = (call: FakeCall) => unknown;

const ROUTES: [string, RegExp, string][] = [
  ["GET", /^\/protocol\/plans\/([^/]+)$/, "getPlan"],
  ["GET", /^\/protocol\/plans\/[^/]+\/agents$/, "getPlanAgents"],
  ["GET", /^\/protocol\/agents\/[^/]+$/, "getAgent"],
  ["POST", /^\/protocol\/plans\/[^/]+\/order$/, "orderPlan"],
  ["GET", /^\/protocol\/plans\/[^/]+\/balance\/[^/]+$/, "getPlanBalance"],
  ["POST", /^\/protocol\/plans$/, "registerPlan"],
  ["GET", /^\/protocol\/plans$/, "listPlans"],
  ["POST", /^\/x402\/permissions$/, "mint"],
  ["GET", /^\/x402\/permissions\/[^/]+$/, "getToken"],
  ["DELETE", /^\/x402\/permissions\/[^/]+$/, "revokeToken"],
  ["POST", /^\/x402\/authorizations$/, "createAuthorization"],
  ["GET", /^\/delegation$/, "listDelegations"],
  ["POST", /^\/x402\/verify$/, "verify"],
  ["POST", /^\/x402\/settle$/, "settle"],
  ["GET", /^\/x402\/settlements\/[^/]+$/, "getSettlement"],
  ["POST", /^\/x402\/release$/, "release"],
  ["POST", /^\/x402\/renew$/, "renew"],
  ["POST", /^\/requests\/report$/, "report"],
];

/** A fake service: answers with its handlers, and records the calls. */
export function createFakeService(plans: Plan[] = [planOf("42")]) {
  const calls: FakeCall[] = [];
  const handlers: Record<string, Handler> = {
    getPlan: ({ path }) =>
      plans.find((plan) => path.endsWith(`/${plan.planId}`)) ?? refusal(404, "not_found"),
    getPlanAgents: () => pageOfAgents([agentOf("7")]),
    getAgent: ({ path }) => agentOf(path.split("/").at(-1) ?? ""),
    getPlanBalance: ({ path }) => balanceOf(path.split("/")[3] ?? ""),
    listDelegations: () => ({
      items: [],
      delegations: [],
      total: 0,
      totalResults: 0,
      page: 1,
      offset: 25,
    }),
    verify: ({ body }) => verificationOf(body),
    settle: ({ body }) => settlementOf(body),
    release: () => ({ success: true, released: "1" }),
    renew: ({ body }) => ({
      items: (body.agentRequestIds as string[]).map((agentRequestId) => ({
        agentRequestId,
        state: "held",
        reservedUntil: "2030-01-01T00:00:00Z",
      })),
    }),
    report: ({ body }) => ({ accepted: (body.requests as unknown[]).length }),
    mint: ({ body }) => ({
      accessToken: boundTokenText(tokenOf((body.accepted as { planId: string }).planId), body),
      tokenId: "t1",
      delegationId: "d1",
      expiresAt: "2030-01-01T00:00:00Z",
    }),
  };

  const answer: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const path = new URL(request.url).pathname.replace(/^.*\/api\/v1/, "");
    const [, , name = "unknown"] =
      ROUTES.find(([method, form]) => method === request.method && form.test(path)) ?? [];
    const text = await request.text();
    const body = text ? JSON.parse(text) : {};
    const { method, url, headers, redirect } = request;
    const call = { name, method, url, path, headers, redirect, body };
    calls.push(call);
    const result = await (handlers[name] ?? (() => refusal(404, "not_found")))(call);
    if (result instanceof Response) return result;
    return new Response(
      JSON.stringify(result, (_key, item) => (typeof item === "bigint" ? String(item) : item)),
      { headers: { "content-type": "application/json" } },
    );
  };

  return {
    fetch: answer,
    calls,
    handlers,
    called: (name: string) => calls.filter((call) => call.name === name),
  };
}

/** The service's error envelope. */
export function refusal(
  httpStatus: number,
  code: string,
  headers: Record<string, string> = {},
): Response {
  const envelope = {
    code,
    message: `It is ${code}.`,
    httpStatus,
    hint: "Do the right thing.",
    details: [{ path: "planId", message: "wrong" }],
    requestId: "req-1",
  };
  return Response.json(envelope, { status: httpStatus, headers });
}

/** What the subscriber has of a plan: a hundred credits, unless a test says otherwise. */
export const balanceOf = (planId: string, balance = 100n) => ({
  planId,
  planName: `Plan ${planId}`,
  planType: "credits",
  holderAddress: SUBSCRIBER,
  balance,
  held: 0n,
  isSubscriber: balance > 0n,
  creditsContract: ZERO_ADDRESS,
  pricePerCredit: 0.01,
});

function verificationOf(body: Record<string, unknown>) {
  return {
    isValid: true,
    payer: SUBSCRIBER,
    agentRequestId: body.agentRequestId ?? "service-made-request-id",
    scheme: "svc:erc4337",
    network: "eip155:84532",
    planId: "42",
    credits: body.maxAmount ?? "1",
    balance: "100",
    subscriberAddress: SUBSCRIBER,
  };
}

export function settlementOf(body: Record<string, unknown>) {
  const redeemed = String(body.maxAmount ?? "1");
  const agentRequestId = String(body.agentRequestId);
  return {
    success: true,
    payer: SUBSCRIBER,
    transaction: "0xabc",
    network: "eip155:84532",
    creditsRedeemed: redeemed,
    remainingBalance: "99",
    agentRequestId,
    planId: "42",
    txHash: "0xabc",
    extra: {
      creditsRedeemed: redeemed,
      remainingBalance: "99",
      agentRequestId,
      settlementId: "s1",
      chainStatus: "submitted",
    },
  };
}

export const refusedSettlement = (errorReason = "insufficient_balance") => ({
  success: false,
  errorReason,
  transaction: "",
  network: "eip155:84532",
  error: errorReason,
});
