import { createServer, type Server } from "node:http";
import { serve } from "@hono/node-server";
import { HTTPFacilitatorClient } from "@x402/core/http";
import {
  x402ResourceServer as ExpressResourceServer,
  paymentMiddleware as expressPaymentMiddleware,
} from "@x402/express";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { paymentMiddleware, x402ResourceServer } from "@x402/hono";
import express from "express";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createMarket, type TestMarket } from "@/lib/server/testing/test-service.ts";
import { Payments } from "../client/payments.ts";
import { PaymentMiddleware } from "../gate/adapters/hono.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { listen, type RunningAgent, runningAgent } from "../test-support/agents/agent.ts";
import { type ServedService, serveTestService } from "../test-support/served-service.ts";
import { createX402ClientScheme } from "./client-scheme.ts";
import { createX402ServerScheme } from "./server-scheme.ts";

const NETWORK = "eip155:84532";

describe.each(ruleStores())("stock x402 peers on $name", ({ open }) => {
  let database: Database;
  let served: ServedService;
  let market: TestMarket;
  const running: RunningAgent[] = [];

  beforeAll(async () => {
    database = await open();
    served = await serveTestService(database);
    market = await createMarket(served.service);
  });
  afterAll(async () => {
    await Promise.all(running.map(({ close }) => close()));
    await served.close();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** The stock facilitator client, pointed at the service with the builder's key. */
  const facilitator = () => {
    const headers = { authorization: `Bearer ${market.builder.apiKey}` };
    return new HTTPFacilitatorClient({
      url: `${served.origin}/api/v1/x402`,
      createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }),
    });
  };

  /** The stock server's own route config; price in credits. */
  const stockRoutes = (price: string) =>
    ({
      "POST /ask": {
        accepts: {
          scheme: "svc:erc4337",
          network: NETWORK,
          payTo: "0x0000000000000000000000000000000000000000",
          price,
          extra: { planId: market.planId, agentId: market.agentId, httpVerb: "POST" },
        },
      },
    }) as const;

  const paymentsOf = (apiKey: string) => Payments.getInstance({ apiKey, baseUrl: served.origin });

  /** The stock client with our scheme. */
  function stockFetch(maxCredits = 5n) {
    const scheme = createX402ClientScheme(paymentsOf(market.subscriber.apiKey), { maxCredits });
    return wrapFetchWithPayment(fetch, new x402Client().register("eip155:*", scheme));
  }

  const balance = async () =>
    (await market.subscriber.payments.plans.getPlanBalance(market.planId)).balance;

  const ask = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
  const keep = (agent: RunningAgent) => {
    running.push(agent);
    return `${agent.origin}/ask`;
  };

  const serveHono = (app: Hono): Promise<RunningAgent> =>
    new Promise((resolve) => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, () =>
        resolve(runningAgent(server as Server)),
      );
    });

  async function honoAgent(): Promise<string> {
    const app = new Hono();
    const server = new x402ResourceServer(facilitator()).register(
      NETWORK,
      createX402ServerScheme(),
    );
    app.use(paymentMiddleware(stockRoutes("1"), server));
    app.post("/ask", (c) => c.json({ answer: 42 }));
    return keep(await serveHono(app));
  }

  async function expressAgent(): Promise<string> {
    const app = express();
    const server = new ExpressResourceServer(facilitator()).register(
      NETWORK,
      createX402ServerScheme(),
    );
    app.use(expressPaymentMiddleware(stockRoutes("1"), server));
    app.post("/ask", (_request, response) => void response.json({ answer: 42 }));
    return keep(await listen(createServer(app)));
  }

  async function ourAgent(): Promise<string> {
    const { planId, agentId } = market;
    const app = new Hono();
    const payments = paymentsOf(market.builder.apiKey);
    const options = { report: false, queue: createMemoryQueue() };
    app.use(PaymentMiddleware(payments, { "POST /ask": { planId, agentId } }, options));
    app.post("/ask", (c) => c.json({ answer: 42 }));
    return keep(await serveHono(app));
  }

  test.each([
    ["a stock @x402/hono server settles through our facilitator", honoAgent],
    ["a stock @x402/express server settles through our facilitator", expressAgent],
    ["a stock @x402/fetch client pays our agent", ourAgent],
  ])("%s", async (_name, start) => {
    const url = await start();
    const before = await balance();
    expect((await fetch(url, ask)).status).toBe(402);
    expect(await balance()).toBe(before);

    const fetchAndPay = stockFetch();
    const response = await fetchAndPay(url, ask);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ answer: 42 });
    const receipt = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "");
    expect(receipt).toMatchObject({
      success: true,
      payer: market.subscriber.address,
      network: NETWORK,
      extra: { creditsRedeemed: "1" },
    });
    expect(await balance()).toBe(before - 1n);

    // The token is reused, and charged again.
    expect((await fetchAndPay(url, ask)).status).toBe(200);
    expect(await balance()).toBe(before - 2n);
  });

  test.each([
    ["hono", honoAgent],
    ["express", expressAgent],
  ])("a stock @x402/%s server is paid by payments.fetch", async (_name, start) => {
    const url = await start();
    const { builder, agentId, endpoint } = market;
    await builder.payments.agents.updateAgent(agentId, {
      agentApiAttributes: { endpoints: [{ POST: endpoint }, { POST: url }] },
    });
    const before = await balance();
    const payments = paymentsOf(market.subscriber.apiKey);
    for (const paid of [1n, 2n]) {
      const { response, receipt, declined } = await payments.fetch(url, ask);
      expect(declined).toBeUndefined();
      expect(response.status).toBe(200);
      expect(receipt).toMatchObject({ success: true, payer: market.subscriber.address });
      expect(await balance()).toBe(before - paid);
    }
  });

  test("T02: a stock client that names its plan pays no other plan", async () => {
    const url = await ourAgent();
    const { planId } = market;
    for (const [only, isPaid] of [
      ["42", false],
      [planId, true],
    ] as const) {
      const payments = paymentsOf(market.subscriber.apiKey);
      const scheme = createX402ClientScheme(payments, { maxCredits: 5n, planId: only });
      const paying = wrapFetchWithPayment(fetch, new x402Client().register("eip155:*", scheme));
      if (isPaid) expect((await paying(url, ask)).status).toBe(200);
      else await expect(paying(url, ask)).rejects.toThrow(`of plan ${planId}, not 42`);
    }
  });

  test("a cached token that was revoked is replaced once, within one call", async () => {
    const url = await ourAgent();
    const fetchAndPay = stockFetch();
    expect((await fetchAndPay(url, ask)).status).toBe(200);
    const { payments } = market.subscriber;
    const { items } = await payments.tokens.listTokens({ limit: 1 });
    await payments.tokens.revokeToken(items[0]?.tokenId ?? "");
    expect((await fetchAndPay(url, ask)).status).toBe(200);
  });

  test("an offer above the cap is not paid", async () => {
    const url = await honoAgent();
    await expect(stockFetch(0n)(url, ask)).rejects.toThrow(/costs 1 credits; the cap is 0/);
  });

  test("a stock server without a plan or a price in credits gets an error that says so", async () => {
    const scheme = createX402ServerScheme();
    await expect(scheme.parsePrice("$0.10", NETWORK)).rejects.toThrow(/whole number of credits/);
    expect(await scheme.parsePrice(3, NETWORK)).toMatchObject({ amount: "3" });
    const offer = { ...stockRoutes("1")["POST /ask"].accepts, amount: "1", asset: "0x0" };
    const bare = { ...offer, maxTimeoutSeconds: 60, extra: {} };
    await expect(scheme.enhancePaymentRequirements(bare)).rejects.toThrow(/planId/);
  });
});
