import { createGate } from "@turnpike/payments";
import {
  checkStatement,
  getExpirableDurationConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import { decodePaymentRequiredHeader, HTTPFacilitatorClient } from "@x402/core/http";
import { withBazaar } from "@x402/extensions/bazaar";
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  extractReceiptPayload,
  findAcceptsObjectFromSignedOffer,
  verifyReceiptSignatureJWS,
} from "@x402/extensions/offer-receipt";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  TEST_ORIGIN,
  type TestMarket,
  type TestService,
} from "../testing/test-service.ts";

describe.each(ruleStores())("found by agents on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service);
  });
  // The stock client has no option for it.
  beforeEach(() => void vi.stubGlobal("fetch", service.fetch));
  afterAll(async () => {
    // The next file of this process may use it before its first test.
    vi.unstubAllGlobals();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const bazaar = (url = `${TEST_ORIGIN}/api/v1/x402`) =>
    withBazaar(new HTTPFacilitatorClient({ url })).extensions.bazaar;

  test("what was never reached is not listed", async () => {
    expect((await bazaar().listResources()).items).toEqual([]);
  });

  test("the stock discovery client reads what was measured", async () => {
    await settleOne(market);
    for (const url of [`${TEST_ORIGIN}/api/v1/x402`, TEST_ORIGIN]) {
      const { items, pagination } = await bazaar(url).listResources({ type: "http", limit: 5 });
      expect(pagination).toEqual({ limit: 5, offset: 0, total: 1 });
      expect(items[0]).toMatchObject({
        resource: market.endpoint,
        type: "http",
        x402Version: 2,
        serviceName: "Reader",
        accepts: [{ scheme: "svc:erc4337", network: "eip155:84532", amount: "1" }],
        extensions: { measured: { info: { calls: 1, settled: 1, customers: 1 } } },
      });
    }
  });

  test("the stock client searches by words", async () => {
    const found = await bazaar().search({ query: "a reader of texts", limit: 1 });
    expect(found.resources).toHaveLength(1);
    expect((await bazaar().search({ query: "weather" })).resources).toEqual([]);
  });

  test("a seller's own calls measure nothing", async () => {
    const own = await createMarket(service);
    const { builder, planId, agentId } = own;
    await builder.payments.plans.orderPlan(planId);
    const { accessToken } = await builder.payments.x402.getX402AccessToken(planId, agentId);
    await settleOne({ ...own, token: accessToken });
    const { items } = await bazaar().listResources({ limit: 100 });
    const measured = items.map(({ extensions }) => extensions?.measured as { info: object });
    expect(measured.map(({ info }) => info)).toEqual([
      expect.objectContaining({ calls: 1, customers: 1 }),
    ]);
  });

  test("filters are honest: each item has the value, and a value that none has matches none", async () => {
    const values = {
      type: ["mcp", "!!!"],
      payTo: ["0x0000000000000000000000000000000000000001"],
      scheme: ["batch-settlement"],
      network: ["eip155:999999999", "!!!"],
      extensions: ["payment-identifier", "__proto__"],
    };
    for (const [name, wrong] of Object.entries(values)) {
      for (const value of wrong) {
        const { items, pagination } = await bazaar().listResources({ [name]: value });
        expect([name, items, pagination.total]).toEqual([name, [], 0]);
      }
    }
    const right = { network: "eip155:84532", extensions: "measured", scheme: "svc:erc4337" };
    expect((await bazaar().listResources(right)).items).toHaveLength(1);
    expect((await bazaar().listResources({ offset: 1 })).items).toEqual([]);
  });

  test("the answer says on what its order rests, and may be cached", async () => {
    const answer = await service.fetch(`${TEST_ORIGIN}/discovery/resources`);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=5");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect((await answer.json()).ranking).toContain("can't buy");
  });

  test.each(["x402", "x402.json"])("/.well-known/%s lists the resources", async (name) => {
    const manifest = await read(service, `/.well-known/${name}`);
    expect(manifest).toMatchObject({
      version: 1,
      x402Version: 2,
      resources: [market.endpoint],
      items: [{ resource: market.endpoint }],
      facilitator: `${TEST_ORIGIN}/api/v1/x402`,
    });
  });

  test("a settlement has a receipt that the stock library checks with the published keys", async () => {
    const settlement = await settleOne(market);
    const header = Buffer.from(JSON.stringify(settlement)).toString("base64");
    const receipt = extractReceiptFromResponse(
      new Response(null, { headers: { "payment-response": header } }),
    );
    if (receipt?.format !== "jws") throw new Error("no receipt");
    const { keys } = await read(service, "/.well-known/jwks.json");
    const [head = ""] = receipt.signature.split(".");
    const { kid } = JSON.parse(Buffer.from(head, "base64url").toString());
    const key = keys.find((each: { kid: string }) => each.kid === kid);
    expect(await verifyReceiptSignatureJWS(receipt, key)).toEqual(extractReceiptPayload(receipt));
    expect(extractReceiptPayload(receipt)).toMatchObject({
      version: 1,
      network: "eip155:84532",
      resourceUrl: market.endpoint,
      payer: market.subscriber.address,
    });
    const { verificationMethod } = await read(service, "/.well-known/did.json");
    expect(verificationMethod.map(({ id }: { id: string }) => id)).toContain(kid);
  });

  test.each(["jws", "eip712"] as const)(
    "a gate's 402 has offers signed by %s, and signs them once",
    async (signOffers) => {
      const { builder, planId, agentId, endpoint } = market;
      const { discovery } = builder.payments;
      const sign = vi.fn(discovery.signOffers);
      const gate = createGate(
        // Another client, whose calls are counted.
        { ...builder.payments, discovery: { ...discovery, signOffers: sign } },
        { "POST /ask": { planId, agentId } },
        { signOffers, report: false },
      );
      const { keys } = await read(service, "/.well-known/jwks.json");
      for (let call = 0; call < 3; call++) {
        const answer = await gate(new Request(endpoint, { method: "POST" }), async () =>
          Response.json({}),
        );
        const required = decodePaymentRequiredHeader(answer.headers.get("payment-required") ?? "");
        const [offer] = decodeSignedOffers(extractOffersFromPaymentRequired(required));
        if (!offer) throw new Error("no signed offer");
        expect(offer).toMatchObject({ resourceUrl: endpoint, scheme: "svc:erc4337", amount: "1" });
        expect(findAcceptsObjectFromSignedOffer(offer, required.accepts)).toBe(required.accepts[0]);
        expect(await checkStatement("offer", offer.signedOffer, keys)).toMatchObject({
          isValid: true,
        });
      }
      expect(sign).toHaveBeenCalledTimes(1);
    },
  );

  test("an offer that cannot be signed is offered unsigned", async () => {
    const { builder, planId } = market;
    const error = vi.fn();
    const gate = createGate(
      { ...builder.payments },
      { "POST /ask": { planId } },
      { signOffers: "jws", report: false, logger: { error } },
    );
    const elsewhere = new Request("https://bank.example/ask", { method: "POST" });
    const answer = await gate(elsewhere, async () => Response.json({}));
    const required = decodePaymentRequiredHeader(answer.headers.get("payment-required") ?? "");
    expect([answer.status, extractOffersFromPaymentRequired(required)]).toEqual([402, []]);
    expect(error.mock.calls[0]?.[1].reason).toContain("You have no agent at this URL");
  });

  test("nothing is signed for a URL of someone else", async () => {
    const { builder, planId, endpoint } = market;
    const { accessToken } = await market.subscriber.payments.x402.getX402AccessToken(planId);
    const settlement = await settleOne(
      { ...market, agentId: "", token: accessToken },
      "https://bank.example/transfer",
    );
    expect(settlement.extensions).toBeUndefined();
    const accepts = [{ scheme: "exact", network: "eip155:84532", planId, amount: "1" }];
    const sign = (resource: string, as = builder) =>
      as.payments.discovery.signOffers({ resource, accepts });
    await expect(sign("https://bank.example/transfer")).rejects.toMatchObject({
      code: "invalid_input",
    });
    await expect(sign(endpoint, market.subscriber)).rejects.toMatchObject({ code: "not_found" });
    expect((await sign(endpoint)).offers).toHaveLength(1);
  });

  test("an offer says for how long a time plan gives access, and no credits", async () => {
    const timed = await createMarket(service);
    const { builder, agentId } = timed;
    const { planId } = await builder.payments.plans.registerTimePlan(
      { name: "A month" },
      getFreePriceConfig(),
      getExpirableDurationConfig(2_592_000n),
    );
    await builder.payments.agents.addPlanToAgent(agentId, planId);
    await settleOne(timed);
    const { items } = await bazaar().listResources({ limit: 100 });
    const plans = items.flatMap(({ accepts }) => accepts.map(({ extra }) => extra?.plan));
    expect(plans).toContainEqual({
      ...{ name: "A month", price: "0", currency: expect.any(String) },
      ...{ accessLimit: "time", durationSecs: "2592000" },
    });
    expect(plans).toContainEqual(expect.objectContaining({ name: "Starter", credits: "100" }));
  });
});

const read = async (service: TestService, path: string) =>
  (await service.fetch(`${TEST_ORIGIN}${path}`)).json();

async function settleOne(market: TestMarket, endpoint = market.endpoint) {
  const { builder, planId, agentId, token } = market;
  const paymentRequired = await builder.payments.x402.buildPaymentRequired({
    planId,
    endpoint,
    ...(agentId && { agentId }),
    httpVerb: "POST",
  });
  const asked = { paymentRequired, x402AccessToken: token, maxAmount: "1" };
  const settlement = await builder.payments.facilitator.settlePermissions(asked);
  if (!settlement.success) throw new Error(settlement.errorReason);
  return settlement;
}
