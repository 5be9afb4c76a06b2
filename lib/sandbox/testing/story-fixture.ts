import { encodeBase64, encodeHeader } from "@turnpike/payments/protocol";
import type { SandboxFile } from "../sandbox-file.ts";
import {
  AGENT_ID,
  agent,
  BUILDER,
  delegation,
  NAMES,
  plan,
  SUBSCRIBER,
  token,
} from "./story-records.ts";

// A service that keeps one account in memory and speaks the real wire, so that a test can break the
// story at a chosen place. What holds against the real service is shown by e2e and by npm run demo.

const REQUEST_ID = "req_0123456789abcdef";

const apiKeyOf = (address: string) => {
  const claims = { sub: address, jti: "k", aud: "sandbox", iat: 0, exp: 4_102_444_800, o11y: "-" };
  const part = (value: unknown) =>
    encodeBase64(JSON.stringify(value)).replace(
      /[+/=]/g,
      (sign) => ({ "+": "-", "/": "_" })[sign] ?? "",
    );
  return `svc-sandbox:${part({ alg: "HS256" })}.${part(claims)}.c2ln`;
};

export const SANDBOX: SandboxFile = {
  url: "http://service.test",
  environment: "sandbox",
  builder: { address: BUILDER, apiKey: apiKeyOf(BUILDER) },
  subscriber: { address: SUBSCRIBER, apiKey: apiKeyOf(SUBSCRIBER) },
  plans: { crypto: "1", card: "2", trial: "3" },
  agent: { agentId: AGENT_ID, url: "http://agent.test/ask" },
};

/** What the pretend service does differently from a sound one. */
export type Faults = {
  balances?: Record<string, bigint>;
  /** Plans whose order is refused, with the code. */
  refuses?: Record<string, string>;
  unpaidStatus?: number;
  paidStatus?: number;
  receipt?: "missing" | "garbled" | "refused" | "overstated";
  /** Credits that vanish beside the settled one. */
  leak?: bigint;
  verifyTakes?: bigint;
  invalidReason?: string;
  moneyStatus?: string;
  agentDown?: boolean;
  /** Credits another request of the account settled meanwhile. */
  others?: string;
  /** Credits another order of the account added meanwhile. */
  bought?: bigint;
};

/** A `fetch` that answers as the service and the agent would, with the given faults. */
export function createPretendService(faults: Faults = {}) {
  const balances: Record<string, bigint> = { 1: 0n, 2: 0n, 3: 0n, ...faults.balances };
  const calls: string[] = [];
  let limit: unknown;

  const service = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { host, pathname } = new URL(request.url);
    calls.push(`${request.method} ${host}${pathname}`);
    if (host === "agent.test") return answerAsAgent(request);
    return answerAsService(request, pathname.replace("/api/v1", ""));
  };

  async function answerAsAgent(request: Request): Promise<Response> {
    if (faults.agentDown) throw new TypeError("fetch failed");
    const token = request.headers.get("payment-signature");
    if (!token) {
      const headers = { "payment-required": encodeHeader(requirement()) };
      return new Response("{}", { status: faults.unpaidStatus ?? 402, headers });
    }
    const status = faults.paidStatus ?? 200;
    if (status !== 200) return new Response("broken", { status });
    const planId = ["1", "2", "3"].find((id) => (balances[id] ?? 0n) > 0n) ?? "3";
    balances[planId] = (balances[planId] ?? 0n) - 1n - (faults.leak ?? 0n);
    return Response.json({ answer: "One credit." }, { headers: receiptHeader(planId) });
  }

  function receiptHeader(planId: string): Record<string, string> {
    if (faults.receipt === "missing") return {};
    if (faults.receipt === "garbled") return { "payment-response": "%%%" };
    return { "payment-response": encodeHeader(settlement(planId)) };
  }

  function settlement(planId: string) {
    const network = "eip155:84532";
    if (faults.receipt === "refused") {
      const errorReason = "insufficient_balance";
      return { success: false, errorReason, transaction: "", network, error: errorReason };
    }
    const terms = {
      creditsRedeemed: faults.receipt === "overstated" ? "2" : "1",
      remainingBalance: String((balances[planId] ?? 0n) + (faults.leak ?? 0n)),
      agentRequestId: REQUEST_ID,
    };
    const extra = { ...terms, settlementId: "set_1", chainStatus: "none" };
    return {
      success: true,
      payer: SUBSCRIBER,
      transaction: "0xfeed",
      network,
      planId,
      ...terms,
      txHash: "0xfeed",
      extra,
    };
  }

  async function answerAsService(request: Request, path: string): Promise<Response> {
    const [, area, kind, id = "", member, holder] = path.split("/");
    if (area === "protocol" && kind === "agents") return Response.json(agent());
    if (member === "balance" && holder) return Response.json(balanceOf(id));
    if (member === "order") return order(id);
    if (area === "protocol") return Response.json(plan(id));
    if (path === "/x402/permissions") return Response.json(token(await readPlanId(request)));
    if (path === "/x402/verify") return Response.json(verification());
    if (kind === "settlements") return Response.json(record());
    if (path === "/delegation/create") {
      limit = (await request.json()).spendingLimitCents;
      return Response.json({
        delegationId: "del_1",
        status: "Active",
        expiresAt: "2030-01-01T00:00:00.000Z",
      });
    }
    if (area === "requests")
      return Response.json({ items: requests(), total: 1, page: 1, offset: 0 });
    if (area === "orders") return Response.json({ items: orders(), total: 1, page: 1, offset: 0 });
    if (area === "delegation" && request.method === "DELETE") {
      return Response.json({ success: true, tokensRevoked: 1 });
    }
    if (area === "delegation") {
      return Response.json({ ...delegation(), spendingLimitCents: String(limit) });
    }
    return refuse(404, "not_found");
  }

  function order(planId: string): Response {
    const code = faults.refuses?.[planId];
    if (code) return refuse(code === "rail_unavailable" ? 503 : 409, code);
    balances[planId] = 100n;
    const receipt = { success: true, orderId: "ord_1", status: "minted", creditsGranted: "100" };
    return Response.json({ ...receipt, balance: "100" });
  }

  function verification() {
    if (faults.invalidReason) {
      const { invalidReason } = faults;
      return { isValid: false, invalidReason, error: invalidReason };
    }
    const [planId, balance] = Object.entries(balances).find(([, each]) => each > 0n) ?? ["3", 0n];
    balances[planId] = balance - (faults.verifyTakes ?? 0n);
    const parties = { payer: SUBSCRIBER, subscriberAddress: SUBSCRIBER, planId };
    const offer = { scheme: "svc:erc4337", network: "eip155:84532", credits: "1" };
    return {
      isValid: true,
      agentRequestId: REQUEST_ID,
      balance: String(balance),
      ...parties,
      ...offer,
    };
  }

  const balanceOf = (planId: string) => ({
    planId,
    planName: NAMES[planId],
    planType: "credits",
    holderAddress: SUBSCRIBER,
    balance: String(balances[planId]),
    held: "0",
    isSubscriber: true,
    creditsContract: "",
    pricePerCredit: 0,
  });

  const record = () => ({
    agentRequestId: REQUEST_ID,
    at: "2026-01-01T00:00:00.000Z",
    moneyStatus: faults.moneyStatus ?? "settled",
    planId: "3",
    payer: SUBSCRIBER,
    scheme: "svc:erc4337",
    transaction: "0xfeed",
    chainStatus: "none",
    credits: faults.receipt === "overstated" ? "2" : "1",
  });

  const requests = () => {
    const settledAt = "2026-01-01T00:00:00.000Z";
    const other = { ...record(), agentRequestId: "req_of_another_call", settledAt };
    const ours = { ...record(), settledAt };
    return faults.others ? [ours, { ...other, credits: faults.others }] : [ours];
  };

  const orders = () => [
    {
      orderId: "ord_of_another_visitor",
      planId: "3",
      planName: NAMES[3],
      status: "minted",
      scheme: "svc:erc4337",
      price: { currency: "usd", amount: "0" },
      creditsGranted: String(faults.bought ?? 0n),
      isTopUp: false,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
    },
  ];

  return { fetch: service as typeof fetch, calls, balances };
}

const refuse = (httpStatus: number, code: string) =>
  Response.json(
    { code, httpStatus, message: `Refused: ${code}.`, requestId: "req" },
    { status: httpStatus },
  );

const requirement = () => ({
  x402Version: 2,
  resource: { url: SANDBOX.agent.url },
  accepts: Object.values(SANDBOX.plans).map((planId) => ({
    scheme: "svc:erc4337",
    network: "eip155:84532",
    planId,
    amount: "1",
    extra: { planId, agentId: AGENT_ID, httpVerb: "POST" },
  })),
});

async function readPlanId(request: Request): Promise<string> {
  const body = (await request.json()) as { accepted: { planId: string } };
  return body.accepted.planId;
}
