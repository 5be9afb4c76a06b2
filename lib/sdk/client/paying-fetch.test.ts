import { expect, test } from "vitest";
import { createGate } from "../gate/gate.ts";
import { apiKeyOf, createFakeService, planOf, SUBSCRIBER } from "../test-support/fake-service.ts";
import { Payments } from "./payments.ts";

/** A buyer whose requests reach a gated agent; both use one service. */
function setUp(credits = 2n) {
  const service = createFakeService([planOf("42"), planOf("43", { isCrypto: false })]);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const gate = createGate(payments, { "POST /ask": { planId: ["42", "43"], credits } });
  const fetch = (request: Request) =>
    gate(request, async (each) => new Response(await each.text()));
  const ask = (options: Parameters<typeof payments.fetch>[2] = {}) =>
    payments.fetch(
      "http://agent.test/ask",
      { method: "POST", body: "hello" },
      { fetch, ...options },
    );
  return { service, ask };
}

test("a 402 is paid and the request repeated, body and all, with the receipt beside it", async () => {
  const { ask, service } = setUp();
  const { response, receipt, agentRequestId, declined } = await ask();
  expect(await response.text()).toBe("hello");
  expect(receipt).toMatchObject({ success: true, creditsRedeemed: "2" });
  expect(agentRequestId).toBe(service.called("settle")[0]?.body.agentRequestId);
  expect(declined).toBeUndefined();
});

test("the token is sent once, to the address that asked for it, and follows no redirect", async () => {
  const { ask } = setUp();
  const sent: Request[] = [];
  const { response } = await ask({
    fetch: async (request) => {
      sent.push(request);
      const to = { location: "https://elsewhere.example/" };
      if (sent.length > 1) return new Response(null, { status: 307, headers: to });
      const offer = { scheme: "svc:erc4337", planId: "42", amount: "1" };
      const paymentRequired = { x402Version: 2, accepts: [offer] };
      return Response.json({ paymentRequired }, { status: 402 });
    },
  });
  expect(response.status).toBe(307);
  expect(sent.map(({ headers }) => headers.has("payment-signature"))).toEqual([false, true]);
  expect(sent[1]?.redirect).toBe("manual");
});

test("the token is minted once and used again", async () => {
  const { ask, service } = setUp();
  await ask();
  await ask();
  expect(service.called("mint")).toHaveLength(1);
});

test("a remembered token that has ended is replaced once", async () => {
  const { ask, service } = setUp();
  await ask();
  const works = service.handlers.verify;
  service.handlers.verify = (call) => {
    if (service.called("mint").length > 1) return works?.(call);
    return { isValid: false, invalidReason: "expired_token", error: "expired_token" };
  };
  expect((await ask()).response.status).toBe(200);
  expect(service.called("mint")).toHaveLength(2);
});

test("a fresh token that is refused is not replaced", async () => {
  const { ask, service } = setUp();
  service.handlers.verify = () => ({ isValid: false, invalidReason: "invalid_token", error: "x" });
  const { response, declined } = await ask();
  expect(response.status).toBe(402);
  expect(declined).toBe("The agent refused the token: invalid_token.");
  expect(service.called("mint")).toHaveLength(1);
});

test("what costs more than the cap is not paid", async () => {
  const { ask, service } = setUp(3n);
  const { response, receipt, declined } = await ask({ maxCredits: 2n });
  expect(response.status).toBe(402);
  expect(receipt).toBeNull();
  expect(declined).toBe("Every offer costs more than 2 credits.");
  expect(service.called("mint")).toEqual([]);
});

test("plan and scheme choose the offer", async () => {
  const { ask, service } = setUp();
  await ask({ planId: "43" });
  expect(service.called("mint")[0]?.body).toMatchObject({ accepted: { planId: "43" } });
  expect((await ask({ planId: "99" })).declined).toContain("None of the offers");
  const byCard = await ask({ scheme: "nvm:card-delegation" });
  expect(byCard.response.status).toBe(200);
});

test("an answer that asks for nothing is handed through", async () => {
  const { ask, service } = setUp();
  const { response, receipt } = await ask({ fetch: async () => new Response("free") });
  expect(await response.text()).toBe("free");
  expect(receipt).toBeNull();
  expect(service.called("mint")).toEqual([]);
});

test("a 402 of another kind is handed back", async () => {
  const { ask } = setUp();
  const { response, declined } = await ask({
    fetch: async () => new Response("pay!", { status: 402 }),
  });
  expect(await response.text()).toBe("pay!");
  expect(declined).toContain("no requirement");
});
