import type { Server } from "node:http";
import { decodeAccessToken, getDynamicCreditsConfig } from "@turnpike/payments/protocol";
import { HTTPFacilitatorClient } from "@x402/core/http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { requirementOf } from "../testing/operation-samples.ts";
import { codeOf, createPermissionCalls, tampered } from "../testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "../testing/test-service.ts";
import { createHttpServer, listen } from "./http-server.ts";

type Payload = Parameters<HTTPFacilitatorClient["verify"]>[0];
type Requirements = Parameters<HTTPFacilitatorClient["verify"]>[1];

describe.each(ruleStores())("the stock x402 facilitator's body on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  let server: Server;
  let facilitator: HTTPFacilitatorClient;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service, { credits: getDynamicCreditsConfig(100n, 1n, 10n) });
    const api = async (request: Request) => {
      const { url, method, headers } = request;
      const body = method === "POST" ? await request.text() : null;
      return service.fetch(url, { method, headers, body });
    };
    server = createHttpServer({ api: { fetch: api }, webhooks: { fetch: api } }, null);
    await listen(server, 0, "127.0.0.1");
    const { port } = server.address() as { port: number };
    const headers = { authorization: `Bearer ${market.builder.apiKey}` };
    facilitator = new HTTPFacilitatorClient({
      url: `http://127.0.0.1:${port}/api/v1/x402`,
      createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }),
    });
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const payloadOf = (token = market.token) => decodeAccessToken(token) as unknown as Payload;
  const requirementsOf = (change: object = {}) =>
    ({ ...requirementOf(market).accepts[0], ...change }) as Requirements;
  const ask = async (path: "verify" | "settle", payload: unknown, requirements: unknown) => {
    const body = { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements };
    return (await service.call(market.builder, "POST", `/x402/${path}`, body)).json();
  };

  test("is answered to an unmodified client: supported, verify, settle", async () => {
    const supported = await facilitator.getSupported();
    expect(supported.kinds).toContainEqual({
      x402Version: 2,
      scheme: "svc:erc4337",
      network: "eip155:84532",
    });
    const verified = await facilitator.verify(payloadOf(), requirementsOf());
    expect(verified).toMatchObject({ isValid: true, payer: market.subscriber.address });
    const settled = await facilitator.settle(payloadOf(), requirementsOf({ amount: "3" }));
    expect(settled).toMatchObject({
      success: true,
      payer: market.subscriber.address,
      network: "eip155:84532",
      amount: "3",
      extra: { creditsRedeemed: "3", remainingBalance: "97" },
    });
  });

  test("and the SDK's get the same verdict, whatever is wrong", async () => {
    const { verify, settle } = createPermissionCalls(service, market);
    const requirement = requirementOf(market);
    const [offer] = requirement.accepts;
    const { tokenId, accessToken: revoked } =
      await market.subscriber.payments.x402.getX402AccessToken(market.planId, market.agentId);
    await service.call(market.subscriber, "DELETE", `/x402/permissions/${tokenId}`);
    const forged = tampered(market.token, ({ payload }) => {
      payload.sessionKey.limits.redemptionLimit += 1;
    });
    const cases = [
      { what: "nothing", token: market.token, change: {}, code: "ok" },
      { what: "a forged token", token: forged, change: {}, code: "invalid_token" },
      { what: "a revoked token", token: revoked, change: {}, code: "invalid_token" },
      {
        what: "another plan",
        token: market.token,
        change: { planId: "1", extra: { ...offer?.extra, planId: "1" } },
        code: "invalid_plan",
      },
      {
        what: "another network",
        token: market.token,
        change: { network: "eip155:1" },
        code: "invalid_plan",
      },
      {
        what: "another agent",
        token: market.token,
        change: { extra: { ...offer?.extra, agentId: "other" } },
        code: "invalid_agent",
      },
      {
        what: "another verb",
        token: market.token,
        change: { extra: { ...offer?.extra, httpVerb: "GET" } },
        code: "invalid_agent",
      },
      {
        what: "an amount too large",
        token: market.token,
        change: { amount: "11" },
        code: "invalid_amount",
      },
    ];
    for (const { what, token, change, code } of cases) {
      const requirements = requirementsOf(change);
      const asked = {
        token,
        requirement: { ...requirement, accepts: [requirements] } as typeof requirement,
        maxAmount: requirements.amount,
      };
      const verdicts = [
        codeOf((await verify(asked)).body),
        codeOf((await settle(asked)).body),
        codeOf(await ask("verify", payloadOf(token), requirements)),
        codeOf(await ask("settle", payloadOf(token), requirements)),
      ];
      expect([what, ...verdicts]).toEqual([what, code, code, code, code]);
    }
  });

  test("with an aliased scheme is taken, and the answer says what was sent", async () => {
    const { subscriber, planId, agentId } = market;
    const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
      scheme: "nvm:erc4337",
    });
    expect(decodeAccessToken(accessToken)).toMatchObject({ accepted: { scheme: "nvm:erc4337" } });
    for (const scheme of ["nvm:erc4337", "svc:erc4337"]) {
      const answer = await ask("verify", payloadOf(accessToken), requirementsOf({ scheme }));
      expect(answer).toMatchObject({ isValid: true, scheme });
    }
    for (const scheme of ["evil:erc4337", "nvm:card-delegation", "nvm:", "exact"]) {
      const answer = await ask("verify", payloadOf(accessToken), requirementsOf({ scheme }));
      expect(codeOf(answer)).toBe("invalid_plan");
    }
  });

  test("without what a token needs is invalid_token, never an error of ours", async () => {
    for (const payload of [{}, { payload: {} }, { payload: [], accepted: 1 }, { x402Version: 1 }]) {
      for (const path of ["verify", "settle"] as const) {
        expect(codeOf(await ask(path, payload, requirementsOf()))).toBe("invalid_token");
      }
    }
  });

  test("T04: cannot free a bound token of its binding by what its payer writes around it", async () => {
    const { subscriber, planId, agentId, endpoint } = market;
    const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
      resource: endpoint,
    });
    for (const url of [endpoint, "https://agent.example/expensive"]) {
      const payload = { ...payloadOf(accessToken), resource: { url } };
      expect(codeOf(await ask("verify", payload, requirementsOf()))).toBe("invalid_agent");
    }
  });

  test("sent twice under one Idempotency-Key burns once; without a key, or under another, each is a request", async () => {
    const settle = async (key: string | null, amount = "2") => {
      const response = await service.fetch("http://turnpike.test/api/v1/x402/settle", {
        method: "POST",
        headers: {
          authorization: `Bearer ${market.builder.apiKey}`,
          "content-type": "application/json",
          ...(key && { "idempotency-key": key }),
        },
        body: JSON.stringify({
          x402Version: 2,
          paymentPayload: payloadOf(),
          paymentRequirements: requirementsOf({ amount }),
        }),
      });
      return response.json();
    };
    const balance = async () =>
      (await market.subscriber.payments.plans.getPlanBalance(market.planId)).balance;
    const before = await balance();
    const first = await settle("order 7, attempt 1");
    expect(first).toMatchObject({ success: true, amount: "2" });
    const repeats = await Promise.all(
      Array.from({ length: 8 }, () => settle("order 7, attempt 1")),
    );
    expect(repeats).toEqual(Array(8).fill(first));
    expect(await balance()).toBe(before - 2n);
    expect(await settle("order 7, attempt 1", "3")).toMatchObject({ code: "idempotency_conflict" });
    await settle("order 8");
    await settle(null);
    await settle(null);
    expect(await balance()).toBe(before - 8n);
  });

  test("names no request by the payer's payment-identifier, or one payment would serve for many", async () => {
    const named = {
      ...payloadOf(),
      extensions: { "payment-identifier": { info: { id: "pay_0123456789abcdef" } } },
    };
    const answers = [
      await ask("settle", named, requirementsOf({ amount: "1" })),
      await ask("settle", named, requirementsOf({ amount: "1" })),
    ];
    const [first, second] = answers.map(({ extra }) => extra.settlementId);
    expect(first).not.toBe(second);
  });
});
