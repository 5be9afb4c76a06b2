import { expect, test, vi } from "vitest";
import { createGate } from "../gate/gate.ts";
import { encodeHeader } from "../protocol/x402-headers.ts";
import {
  apiKeyOf,
  createFakeService,
  planOf,
  refusal,
  SUBSCRIBER,
  settlementOf,
} from "../test-support/fake-service.ts";
import { Payments } from "./payments.ts";

/** A buyer whose requests reach a gated agent; both use one service. */
function setUp(credits = 2n) {
  const service = createFakeService([planOf("42"), planOf("43", { isCrypto: false })]);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const gate = createGate(payments, {
    "POST /ask": { planId: ["42", "43"], credits },
    "POST /other": { planId: "42" },
    "GET /ask": { planId: "42" },
  });
  const fetch = (request: Request) =>
    gate(request, async (each) => new Response(await each.text()));
  const ask = (
    options: Parameters<typeof payments.fetch>[2] = {},
    url = "http://agent.test/ask",
    method = "POST",
  ) =>
    payments.fetch(
      url,
      { method, ...(method === "POST" && { body: "hello" }) },
      { fetch, ...options },
    );
  return { service, ask, minted: () => service.called("mint").map(({ body }) => body) };
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

test.each([
  [{}, "The agent refused the token: invalid_token."],
  [
    { cause: "key_mismatch", invalidMessage: "Signed with another key." },
    "The agent refused the token: invalid_token (key_mismatch). Signed with another key.",
  ],
])("a fresh token that is refused is not replaced, and says why: %o", async (told, why) => {
  const { ask, service } = setUp();
  const refused = { isValid: false, invalidReason: "invalid_token", error: "x" };
  service.handlers.verify = () => ({ ...refused, ...told });
  const { response, declined } = await ask();
  expect(response.status).toBe(402);
  expect(declined).toBe(why);
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

test.each([
  ["without an end", 0, 0],
  ["that drips", 1_000, 11_000],
])(
  "a 402 %s is read for a megabyte or ten seconds, then released, and its header still pays",
  async (_, everyMs, ms) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { ask, minted } = setUp();
      let read = 0;
      let isReleased = false;
      const endless = () =>
        new ReadableStream({
          async pull(out) {
            if (everyMs) await new Promise((next) => setTimeout(next, everyMs));
            read += 1_000;
            if (read > 20_000_000) out.close();
            else out.enqueue(new TextEncoder().encode("a".repeat(1_000)));
          },
          cancel() {
            isReleased = true;
          },
        });
      const offer = { scheme: "svc:erc4337", planId: "42", amount: "1" };
      const headers = { "payment-required": encodeHeader({ x402Version: 2, accepts: [offer] }) };
      const fetch = async (request: Request) =>
        request.headers.has("payment-signature")
          ? new Response("paid")
          : new Response(endless(), { status: 402, headers });
      const asked = ask({ fetch });
      await vi.advanceTimersByTimeAsync(ms);
      expect(await (await asked).response.text()).toBe("paid");
      expect(read).toBeLessThan(1_200_000);
      expect(isReleased).toBe(true);
      expect(minted()).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  },
);

test("a token is good for the method and path it was minted for, without the query", async () => {
  const { ask, minted } = setUp();
  await ask({}, "http://agent.test/ask?secret=1");
  const bound = { resource: "http://agent.test/ask", httpVerb: "POST" };
  expect(minted()).toEqual([expect.objectContaining(bound)]);
});

test("each resource, method and set of token options has its own token", async () => {
  const { ask, minted } = setUp();
  for (let round = 0; round < 2; round++) {
    await ask();
    await ask({}, "http://agent.test/other");
    await ask({}, "http://agent.test/ask", "GET");
    await ask({}, "http://agent.test/ask", "HEAD");
    await ask({ tokenOptions: { redemptionLimit: 5 } });
  }
  expect(
    minted().map(({ resource, httpVerb, redemptionLimit }) => [
      resource,
      httpVerb,
      redemptionLimit,
    ]),
  ).toEqual([
    ["http://agent.test/ask", "POST", undefined],
    ["http://agent.test/other", "POST", undefined],
    ["http://agent.test/ask", "GET", undefined],
    ["http://agent.test/ask", "POST", 5],
  ]);
});

test("requests at the same time share one token", async () => {
  const { ask, minted } = setUp();
  const all = await Promise.all([ask(), ask(), ask()]);
  expect(all.map(({ response }) => response.status)).toEqual([200, 200, 200]);
  expect(minted()).toHaveLength(1);
});

test("a token that could not be minted is asked for anew", async () => {
  const { ask, service, minted } = setUp();
  const works = service.handlers.mint;
  service.handlers.mint = () => refusal(422, "invalid_input");
  await expect(ask()).rejects.toMatchObject({ code: "invalid_input" });
  if (works) service.handlers.mint = works;
  expect((await ask()).response.status).toBe(200);
  expect(minted()).toHaveLength(2);
});

test("behind a proxy the token is bound to the end of the path, never to a path of the agent's choice", async () => {
  const { ask, minted } = setUp();
  const challenge = (resource: string) => {
    const offer = { scheme: "svc:erc4337", planId: "42", amount: "1" };
    const paymentRequired = { x402Version: 2, resource: { url: resource }, accepts: [offer] };
    return async () => Response.json({ paymentRequired }, { status: 402 });
  };
  const outside = "https://agent.test/v1/ask";
  await ask({ fetch: challenge("http://10.0.0.1:8080/ask") }, outside);
  await ask({ fetch: challenge("http://10.0.0.1:8080/admin") }, outside);
  expect(minted().map(({ resource }) => resource)).toEqual([
    "https://agent.test/ask",
    "https://agent.test/v1/ask",
  ]);
});

test("a stock server's facilitator is not told the resource, so its token is bound to none", async () => {
  const { ask, minted } = setUp();
  const offer = { scheme: "svc:erc4337", planId: "42", amount: "1" };
  const header = encodeHeader({ x402Version: 2, accepts: [offer] });
  const fetch = async () =>
    Response.json({}, { status: 402, headers: { "payment-required": header } });
  await ask({ fetch });
  expect(minted()[0]).not.toHaveProperty("resource");
});

/** A gate's 402 with one offer, and what the agent answers to a request with a token. */
function agentOf(
  answer: (sent: Request[]) => Response,
  extensions = {},
  offer: object = { amount: "1" },
) {
  const sent: Request[] = [];
  const fetch = async (request: Request) => {
    sent.push(request);
    if (request.headers.has("payment-signature")) return answer(sent);
    const accepts = [{ scheme: "svc:erc4337", planId: "42", ...offer }];
    return Response.json(
      { paymentRequired: { x402Version: 2, accepts, extensions } },
      { status: 402 },
    );
  };
  const keys = () => sent.map(({ headers }) => headers.get("idempotency-key"));
  return { fetch, sent, keys };
}

test("an offer without an amount asks for the least that its plan charges", async () => {
  const { ask } = setUp();
  const { fetch } = agentOf(() => new Response("done"), {}, {});
  expect((await ask({ fetch, maxCredits: 1n })).response.status).toBe(200);
  expect((await ask({ fetch, maxCredits: 0n })).declined).toBe(
    "Every offer costs more than 0 credits.",
  );
});

test("every request of one call carries the same key, another call another", async () => {
  const { ask, service } = setUp();
  const { fetch, keys } = agentOf((sent) =>
    sent.length === 2 ? new Response("done") : Response.json({ retryable: true }, { status: 402 }),
  );
  await ask({ fetch });
  await ask({ fetch });
  const [first, , second] = keys();
  expect(first).toMatch(/^[A-Za-z0-9_]{16,128}$/);
  expect(keys()).toEqual([first, first, second, second, second]);
  expect(second).not.toBe(first);
  expect(service.called("mint")).toHaveLength(2);
});

test("the caller's own key is kept", async () => {
  const { service } = setUp();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const { fetch, keys } = agentOf(() => new Response("done"));
  await payments.fetch(
    "http://agent.test/ask",
    { headers: { "Idempotency-Key": "mine" } },
    { fetch },
  );
  expect(keys()).toEqual(["mine", "mine"]);
});

test("after a lost reply the request is repeated, body and all, where the gate knows a repeat", async () => {
  const { ask } = setUp();
  const lost = (sent: Request[]) => {
    if (sent.length === 2) throw new TypeError("connection reset");
    return new Response("done");
  };
  const knowing = agentOf(lost, { "payment-identifier": { info: { required: false } } });
  expect(await (await ask({ fetch: knowing.fetch })).response.text()).toBe("done");
  expect(new Set(knowing.keys()).size).toBe(1);
  expect(await knowing.sent[2]?.text()).toBe("hello");
  const unknowing = agentOf(lost);
  await expect(ask({ fetch: unknowing.fetch })).rejects.toThrow("connection reset");
  expect(unknowing.sent).toHaveLength(2);
});

test("a key that was used for another body is final", async () => {
  const { ask } = setUp();
  const { fetch, sent } = agentOf(
    () => Response.json({ code: "idempotency_conflict", retryable: true }, { status: 409 }),
    { "payment-identifier": {} },
  );
  expect((await ask({ fetch })).response.status).toBe(409);
  expect(sent).toHaveLength(2);
});

test("a body that is a stream is kept, so it is sent with each request", async () => {
  const { service } = setUp();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const { fetch, sent } = agentOf(() => new Response("done"));
  const body = new Blob(["hello"]).stream();
  const init = { method: "POST", body, duplex: "half" };
  await payments.fetch("http://agent.test/ask", init, { fetch });
  expect(await Promise.all(sent.map((request) => request.text()))).toEqual(["hello", "hello"]);
});

test("the answer to a request that paid nothing has no receipt, whatever its server writes", async () => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const receipt = encodeHeader(settlementOf({ maxAmount: "5000", agentRequestId: "req_1" }));
  const answer = (status: number) => async () =>
    new Response("hello", { status, headers: { "payment-response": receipt } });
  for (const status of [200, 402]) {
    const unpaid = await payments.fetch("https://a.test/ask", {}, { fetch: answer(status) });
    expect(unpaid.receipt).toBeNull();
  }
  const headers = { "payment-signature": "x" };
  const paid = await payments.fetch("https://a.test/ask", { headers }, { fetch: answer(200) });
  expect(paid.receipt).toMatchObject({ success: true });
});

test.each([
  [{ allowPlans: "1421" }, "`allowPlans` is not a list."],
  [{ allowSellers: "0x1" }, "`allowSellers` is not a list."],
  [{ maxCredit: 5n }, "`maxCredit` is not known. Did you mean `maxCredits`?"],
])("options that are written wrongly pay nothing: %o", async (options, message) => {
  const { ask, service } = setUp();
  await expect(ask(options as object)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(message),
  });
  expect(service.called("orderPlan")).toEqual([]);
  expect(service.called("mint")).toEqual([]);
});
