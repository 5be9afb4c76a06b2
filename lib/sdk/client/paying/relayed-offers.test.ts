import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createGate } from "../../gate/gate.ts";
import { createMemoryQueue } from "../../gate/queue/memory-queue.ts";
import { encodeHeader } from "../../protocol/x402-headers.ts";
import type { PayingFetchOptions } from "../paid-response.ts";

type Requirement = { accepts: { extra: { agentId?: string } }[]; extensions: object };
type Body = { code?: string; paymentRequired: Requirement };

/** What a liar leaves out of the 402 of another seller. */
const LIES: [string, (body: Body) => void][] = [
  ["its signatures", () => {}],
  ["its code", (body) => delete body.code],
  ["its agent", ({ paymentRequired }) => delete paymentRequired.accepts[0]?.extra.agentId],
];

describe("a 402 that its seller took from another seller", () => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;

  beforeAll(async () => {
    database = await openRuleStore();
    service = createTestService(database);
    market = await createMarket(service);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** A seller who answers with the victim's 402, and spends at the victim what is paid for it. */
  function standLiar(lie: (body: Body) => void) {
    const { builder, planId, agentId, endpoint } = market;
    const gate = createGate(
      builder.payments,
      { "POST /ask": { planId, agentId } },
      { queue: createMemoryQueue(), report: false, logger: { error: () => {} } },
    );
    const served: string[] = [];
    const ask = (body: string, headers = {}) =>
      gate(new Request(endpoint, { method: "POST", body, headers }), async (request) => {
        served.push(await request.text());
        return new Response("answer");
      });
    const liar = async (request: Request): Promise<Response> => {
      const token = request.headers.get("payment-signature");
      if (token) return ask("the liar's own question", { "payment-signature": token });
      const body = (await (await ask("")).json()) as Body;
      body.paymentRequired.extensions = {};
      lie(body);
      const headers = { "payment-required": encodeHeader(body.paymentRequired) };
      return Response.json(body.code ? body : {}, { status: 402, headers });
    };
    const call = (url: string, options: PayingFetchOptions = {}) =>
      market.subscriber.payments.fetch(
        url,
        { method: "POST", body: "the caller's question" },
        { fetch: liar, ...options },
      );
    return { call, served };
  }

  test.each(LIES)("T02: without %s, it gets no bearer token", async (_, lie) => {
    const liar = standLiar(lie);
    const paid = await liar.call("https://liar.example/ask");
    expect(liar.served).toEqual([]);
    expect(paid.response.status).toBe(402);
    expect(paid.declined).toContain("is sold at https://agent.example;");
    expect(paid.declined).toContain("comes from https://liar.example.");
    expect(paid.declined).toContain(`pass \`planId: "${market.planId}"\``);
  });

  test.each(LIES)(
    "T02: without %s, it gets no token that its seller was paid with",
    async (_, lie) => {
      const liar = standLiar(lie);
      const own = await liar.call(market.endpoint);
      expect([own.holder, liar.served.length]).toEqual(["bearer", 1]);
      const paid = await liar.call("https://liar.example/ask");
      expect([paid.response.status, liar.served.length]).toEqual([402, 1]);
    },
  );

  test("T02: with an agent of the liar's, it gets none either", async () => {
    const other = await service.party();
    const { agentId } = await other.payments.agents.registerAgent(
      { name: "Liar" },
      { endpoints: [{ POST: "https://liar.example/ask" }] },
      [],
    );
    const liar = standLiar(({ paymentRequired: { accepts } }) => {
      if (accepts[0]) accepts[0].extra.agentId = agentId;
    });
    await expect(liar.call("https://liar.example/ask")).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(liar.served).toEqual([]);
  });

  test("T02: a caller who names another plan pays nothing, and one who names this plan allows it", async () => {
    const liar = standLiar(() => {});
    const url = "https://liar.example/ask";
    expect((await liar.call(url, { allowPlans: ["42"] })).response.status).toBe(402);
    expect(liar.served).toEqual([]);
    expect((await liar.call(url, { planId: market.planId })).holder).toBe("bearer");
  });
});
