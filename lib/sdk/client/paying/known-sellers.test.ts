import { expect, test, vi } from "vitest";
import {
  agentOf,
  apiKeyOf,
  BUILDER,
  createFakeService,
  pageOfAgents,
  refusal,
  SUBSCRIBER,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import type { PayingFetchOptions } from "../paid-response.ts";
import { Payments } from "../payments.ts";

/** A buyer, and a server that asks for payment by plan 42. */
function setUp(origins: string[], { agentId = "7" as string | null, extensions = {} } = {}) {
  const service = createFakeService();
  service.handlers.getAgent = () => agentOf("7", origins);
  service.handlers.getPlanAgents = () => pageOfAgents([agentOf("6", []), agentOf("7", origins)]);
  const buyer = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const extra = agentId === null ? {} : { extra: { agentId } };
  const accepts = [{ scheme: "svc:erc4337", planId: "42", amount: "1", ...extra }];
  const asking = {
    code: "token_missing",
    paymentRequired: { x402Version: 2, accepts, extensions },
  };
  const fetch = async (request: Request) =>
    request.headers.has("payment-signature")
      ? new Response("paid")
      : Response.json(asking, { status: 402 });
  const call = (url: string, options: PayingFetchOptions = {}) =>
    buyer.fetch(url, { method: "POST" }, { fetch, ...options });
  return { service, call };
}

const SIGNED = { extensions: { "http-message-signatures": {} } };
const URL_OF_SERVER = "https://server.example/ask";

test.each([
  ["https://agent.example", "https://agent.example/ask"],
  ["https://agent.example", "https://agent.example:443/v2?lang=en"],
  ["https://AGENT.example", "https://agent.example/ask"],
  ["http://localhost:4021", "http://127.0.0.1:4021/ask"],
  ["http://127.0.0.1:4021", "http://[::1]:4021/ask"],
  ["http://[::1]:4021", "http://localhost:4021/ask"],
])("an agent at %s is paid at %s by bearer token", async (origin, url) => {
  for (const agentId of ["7", null]) {
    const { call } = setUp([origin], { agentId });
    expect(await call(url)).toMatchObject({ holder: "bearer" });
  }
});

test.each([
  ["https://agent.example", "https://agent.example:8443/ask"],
  ["https://agent.example", "https://agent.example.evil.example/ask"],
  ["https://agent.example", "https://sub.agent.example/ask"],
  ["https://agent.example", "http://agent.example/ask"],
  ["http://localhost:4021", "http://127.0.0.1:4022/ask"],
  ["http://localhost:4021", "http://127.0.0.2:4021/ask"],
])("T02: an agent at %s is not paid at %s by bearer token", async (origin, url) => {
  for (const agentId of ["7", null]) {
    const { service, call } = setUp([origin], { agentId });
    const { response, declined } = await call(url);
    expect([response.status, service.called("mint")]).toEqual([402, []]);
    expect(declined).toContain(`Plan 42 is sold at ${new URL(origin).origin}; the 402 comes from`);
  }
});

test.each([
  ["no endpoint", []],
  ["a path", ["/agents"]],
  ["a tool's name", ["mcp://reader/tools"]],
])(
  "T02: without a registered origin, but %s, nothing is compared and nothing paid",
  async (_, origins) => {
    const { service, call } = setUp(origins);
    expect((await call(URL_OF_SERVER)).declined).toContain(
      "has no registered origin to compare with",
    );
    expect(service.called("mint")).toEqual([]);
  },
);

test("an agent of a plan with more than one page of them is found by its origin", async () => {
  const { service, call } = setUp([], { agentId: null });
  const at = (origin: string | null) =>
    agentOf("7", [origin === "https://last.example" ? origin : "https://first.example"]);
  service.handlers.getPlanAgents = ({ url }) => ({
    ...pageOfAgents([at(new URL(url).searchParams.get("origin"))]),
    nextCursor: "more",
  });
  expect(await call("https://last.example/ask")).toMatchObject({ holder: "bearer" });
  const { declined } = await call(URL_OF_SERVER);
  expect(declined).toContain(
    "is sold at https://first.example; the 402 comes from https://server.",
  );
  for (let times = 0; times < 2; times++) await call("https://first.example/ask");
  expect(service.called("getPlanAgents")).toHaveLength(3);
});

test("an agent that is archived is found by its origin", async () => {
  const { service, call } = setUp([], { agentId: null });
  service.handlers.getPlanAgents = ({ url }) =>
    pageOfAgents(new URL(url).searchParams.has("origin") ? [agentOf("7", [URL_OF_SERVER])] : []);
  expect(await call(URL_OF_SERVER)).toMatchObject({ holder: "bearer" });
});

test("an agent that the service does not know has no origin", async () => {
  const { service, call } = setUp([]);
  service.handlers.getAgent = () => refusal(404, "not_found");
  expect((await call(URL_OF_SERVER)).declined).toContain("has no registered origin");
});

test("agents are read again after the service could not answer", async () => {
  const { service, call } = setUp(["https://server.example"]);
  const { getAgent = () => null } = service.handlers;
  service.handlers.getAgent = () => refusal(500, "internal");
  await expect(call(URL_OF_SERVER)).rejects.toMatchObject({ code: "internal" });
  service.handlers.getAgent = getAgent;
  expect((await call(URL_OF_SERVER)).response.status).toBe(200);
  await call(URL_OF_SERVER);
  expect(service.called("getAgent")).toHaveLength(2);
});

test.each<[string, PayingFetchOptions]>([
  ["planId", { planId: "42" }],
  ["allowPlans", { allowPlans: ["41", "42"] }],
  ["allowSellers", { allowSellers: [BUILDER.toLowerCase()] }],
])("a plan that the call names in %s is paid wherever it is called", async (_, options) => {
  const { service, call } = setUp(["https://agent.example"]);
  expect(await call(URL_OF_SERVER, options)).toMatchObject({ holder: "bearer" });
  expect(service.called("getAgent")).toEqual([]);
});

test.each<[string, PayingFetchOptions]>([
  ["maxSpend", { maxSpend: 500n }],
  ["another plan and seller", { allowPlans: ["41"], allowSellers: [SUBSCRIBER] }],
  ["a delegation", { tokenOptions: { delegationConfig: { delegationId: "d1" } } }],
])("T02: %s does not name the plan", async (_, options) => {
  const { service, call } = setUp(["https://agent.example"]);
  expect((await call(URL_OF_SERVER, options)).response.status).toBe(402);
  expect(service.called("mint")).toEqual([]);
});

test("a signed call is paid anywhere, and asks the service for no agent", async () => {
  const { service, call } = setUp([], SIGNED);
  expect(await call(URL_OF_SERVER)).toMatchObject({ holder: "signed" });
  expect([service.called("getAgent"), service.called("getPlanAgents")]).toEqual([[], []]);
});

test("T02: a platform that can't sign pays as an agent that takes no signatures is paid", async () => {
  vi.spyOn(crypto.subtle, "generateKey").mockRejectedValue(new Error("no Ed25519"));
  const { call } = setUp(["https://agent.example"], SIGNED);
  expect((await call(URL_OF_SERVER)).response.status).toBe(402);
  expect(await call("https://agent.example/ask")).toMatchObject({ holder: "bearer" });
  vi.restoreAllMocks();
});

test("T02: a service that binds no tokens to keys is paid through as far as its agents are known", async () => {
  const { service, call } = setUp(["https://agent.example"], SIGNED);
  service.handlers.mint = () => ({
    accessToken: tokenTextOf("42"),
    tokenId: "t1",
    delegationId: "d1",
    expiresAt: "2030-01-01T00:00:00Z",
  });
  await expect(call(URL_OF_SERVER)).rejects.toMatchObject({ code: "spending_not_allowed" });
  expect(await call("https://agent.example/ask")).toMatchObject({ holder: "bearer" });
});
