import { expect, test, vi } from "vitest";
import { paidResponse } from "../../client/paid-response.ts";
import { Payments } from "../../client/payments.ts";
import { decodeHeader } from "../../protocol/x402-headers.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  planOf,
  settlementOf,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { createGate } from "../gate.ts";
import type { GateOptions } from "../gate-options.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import type { RouteConfig } from "../routes.ts";

/** What nginx takes in all by default, less what an app's own headers need. */
const BUDGET = 3_072;
const PLAN_IDS = [1, 2, 3, 4, 5, 6].map((last) => `28875452920403387882193399038865180840${last}`);

function openGate(
  config: Partial<RouteConfig>,
  options: GateOptions = {},
  more: Record<string, RouteConfig> = {},
) {
  const service = createFakeService(PLAN_IDS.map((planId) => planOf(planId)));
  service.handlers.unknown = ({ body }) => ({
    offers: (body.accepts as object[]).map(() => ({ format: "jws", signature: "s".repeat(620) })),
    validUntil: Date.now() / 1000 + 600,
  });
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const errors: { message: string; fields: Record<string, unknown> }[] = [];
  const gate = createGate(
    payments,
    {
      "POST /ask": { planId: PLAN_IDS.slice(0, 3), agentId: `agent_${"1".repeat(30)}`, ...config },
      ...more,
    },
    {
      queue: createMemoryQueue(),
      report: false,
      logger: { error: (message, fields) => errors.push({ message, fields }) },
      ...options,
    },
  );
  const ask = (token?: string, path = "/ask") => {
    const headers = { ...(token && { "payment-signature": token }) };
    const request = new Request(`https://agent.example${path}`, { method: "POST", headers });
    return gate(request, async () => Response.json({ words: 3 }));
  };
  return { ask, errors, service };
}

const requirementIn = (response: Response) => {
  const text = response.headers.get("payment-required") ?? "";
  type Requirement = {
    resource: unknown;
    accepts: { planId: string }[];
    extensions: Record<string, unknown>;
  };
  return { length: text.length, ...(decodeHeader(text) as Requirement) };
};

test("a 402 whose signatures are too long for a proxy has them in its body alone, which is logged once", async () => {
  const { ask, errors } = openGate({}, { signOffers: "jws" });
  for (const response of [await ask(), await ask()]) {
    const { length, accepts, extensions } = requirementIn(response);
    expect(length).toBeLessThanOrEqual(BUDGET);
    expect(accepts.map(({ planId }) => planId)).toEqual(PLAN_IDS.slice(0, 3));
    expect(extensions["offer-receipt"]).toBeUndefined();
    const { paymentRequired } = await response.json();
    expect(paymentRequired.extensions["offer-receipt"].info.offers).toHaveLength(3);
  }
  await vi.waitFor(() => expect(errors).toHaveLength(1), { timeout: 10_000 });
  expect(errors[0]).toMatchObject({
    message: "A `payment-required` header was shortened.",
    fields: { resource: "https://agent.example/ask", bytes: expect.any(Number) },
  });
});

test("a short header is logged for each route, whatever its parameters", async () => {
  const config = { planId: PLAN_IDS, description: "d".repeat(900) };
  const { ask, errors } = openGate(config, {}, { "POST /users/:id": config });
  for (const path of ["/ask", "/users/1", "/users/2"]) await ask(undefined, path);
  await vi.waitFor(() => expect(errors).toHaveLength(2), { timeout: 10_000 });
  expect(errors.map(({ fields }) => fields.resource)).toEqual([
    "https://agent.example/ask",
    "https://agent.example/users/1",
  ]);
});

test.each([
  ["long", "d".repeat(2_000)],
  ["in a script of three bytes a letter", "語".repeat(1_500)],
])(
  "a 402 leaves a description that is %s to its body before its offers",
  async (_, description) => {
    const { ask } = openGate({ description });
    const response = await ask();
    const { length, accepts, resource } = requirementIn(response);
    expect(length).toBeLessThanOrEqual(BUDGET);
    expect(accepts.map(({ planId }) => planId)).toEqual(PLAN_IDS.slice(0, 3));
    expect(resource).toEqual({ url: "https://agent.example/ask" });
    expect((await response.json()).paymentRequired.resource).toMatchObject({ description });
  },
);

test("a 402 of one plan keeps its signature in the header", async () => {
  const { ask, errors } = openGate({ planId: PLAN_IDS[0] as string }, { signOffers: "jws" });
  expect(requirementIn(await ask()).extensions["offer-receipt"]).toBeDefined();
  expect(errors).toEqual([]);
});

test("a 402 whose offers are too long has the first of them in the header, and all in its body", async () => {
  const { ask } = openGate({ planId: PLAN_IDS }, { signOffers: "jws" });
  const response = await ask();
  const { length, accepts } = requirementIn(response);
  expect(length).toBeLessThanOrEqual(BUDGET);
  expect(accepts.length).toBeGreaterThanOrEqual(3);
  expect(PLAN_IDS).toEqual(expect.arrayContaining(accepts.map(({ planId }) => planId)));
  expect((await response.json()).paymentRequired.accepts).toHaveLength(6);
});

test.each([
  ["leaves out its signature, and not the credits that are left", 1_400],
  ["leaves out what it says twice, and not the credits that are left", 1_900],
])("a receipt that is too long for a proxy %s", async (_, length) => {
  const { ask, service } = openGate({});
  const credits = { info: { accessToken: "t".repeat(length) } };
  const signed = { info: { receipt: { format: "jws", signature: "s".repeat(620) } } };
  service.handlers.settle = ({ body }) => ({
    ...settlementOf(body),
    extensions: { credits, "offer-receipt": signed },
  });
  const response = await ask(tokenTextOf(PLAN_IDS[0] as string));
  expect(response.headers.get("payment-response")?.length).toBeLessThanOrEqual(BUDGET);
  expect(paidResponse(response).receipt).toMatchObject({
    success: true,
    txHash: "0xabc",
    creditsRedeemed: "1",
    remainingBalance: "99",
    agentRequestId: expect.stringMatching(/^req_/),
    planId: "42",
    extensions: { credits },
  });
});

test("a 402 keeps its offers in the header before what it says for discovery", async () => {
  const discovery = { input: { question: "q".repeat(300) }, output: { example: { answer: 42 } } };
  const { ask } = openGate({ discovery });
  const response = await ask();
  const { length, accepts, extensions } = requirementIn(response);
  expect(length).toBeLessThanOrEqual(BUDGET);
  expect([accepts.length, Object.keys(extensions)]).toEqual([
    3,
    expect.not.arrayContaining(["bazaar"]),
  ]);
  const { paymentRequired } = await response.json();
  expect(Object.keys(paymentRequired.extensions)).toContain("bazaar");
});
