import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Payments } from "../client/payments.ts";
import { decodeAccessToken, signatureOf } from "../protocol/access-token.ts";
import type { AccessToken } from "../protocol/access-token-schema.ts";
import { toJson } from "../protocol/json.ts";
import { decodePaymentRequired } from "../protocol/payment-required.ts";
import { decodeHeader } from "../protocol/x402-headers.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  planOf,
  refusal,
  refusedSettlement,
  SUBSCRIBER,
  settlementOf,
  tokenTextOf,
} from "../test-support/fake-service.ts";
import { skipWaits } from "../test-support/skip-waits.ts";
import { createGate } from "./gate.ts";
import type { GateOptions } from "./gate-options.ts";
import type { Work } from "./http-call.ts";
import type { Payment } from "./payment.ts";
import { createMemoryQueue } from "./queue/memory-queue.ts";
import type { RouteConfig } from "./routes.ts";

const ROUTE = "POST /ask";

function setUp(config: Partial<RouteConfig> = {}, options: GateOptions = {}) {
  const service = createFakeService([
    planOf("42"),
    planOf("43", { isCrypto: false }),
    planOf("44", { minAmount: 3n }),
  ]);
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    baseUrl: "http://service.test",
    fetch: service.fetch,
    maxRetries: 0,
  });
  const errors: { message: string; fields: Record<string, unknown> }[] = [];
  const queue = createMemoryQueue({ firstDelayMs: 1 });
  const gate = createGate(
    payments,
    { [ROUTE]: { planId: "42", ...config } },
    { queue, logger: { error: (message, fields) => errors.push({ message, fields }) }, ...options },
  );
  return { service, payments, gate, errors, queue };
}

function ask(token?: string, path = "/ask", init: RequestInit = {}) {
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set("payment-signature", token);
  return new Request(`http://agent.test${path}`, { method: "POST", body: "{}", ...init, headers });
}

const hello: Work = () => Response.json({ hello: "world" });
const TOKEN = tokenTextOf("42");
const receiptOf = (response: Response) =>
  decodeHeader(response.headers.get("payment-response") ?? "") as Record<string, unknown>;

describe("the nine rows of the gated request (§3)", () => {
  test("1. a request that matches no route passes through ungated", async () => {
    const { gate, service } = setUp();
    const untouched = ask(TOKEN, "/free");
    const work = vi.fn(hello);
    const response = await gate(untouched, work);
    expect(response.status).toBe(200);
    expect(work).toHaveBeenCalledExactlyOnceWith(untouched);
    expect(response.headers.has("cache-control")).toBe(false);
    expect(service.calls).toEqual([]);
  });

  test("2. scheme and network come from each plan's metadata, unless overridden", async () => {
    const { gate, service } = setUp({
      planId: ["42", "43"],
      agentId: "7",
      description: "Answers",
      mimeType: "application/json",
      credits: 2,
    });
    await gate(ask(), hello);
    const response = await gate(ask(undefined, "/ask?secret=1"), hello);
    expect(service.called("getPlan")).toHaveLength(2);
    expect(decodePaymentRequired(response.headers.get("payment-required") ?? "")).toMatchObject({
      x402Version: 2,
      resource: {
        url: "http://agent.test/ask",
        description: "Answers",
        mimeType: "application/json",
      },
      accepts: [
        {
          scheme: "svc:erc4337",
          network: "eip155:84532",
          planId: "42",
          amount: "2",
          extra: { httpVerb: "POST", agentId: "7" },
        },
        { scheme: "svc:card-delegation", network: "card-processor", planId: "43" },
      ],
      extensions: {},
    });

    const overridden = setUp({ scheme: "svc:card-delegation", network: "card:processor" });
    const answer = await overridden.gate(ask(), hello);
    expect(decodePaymentRequired(answer.headers.get("payment-required") ?? "")?.accepts).toEqual([
      expect.objectContaining({ scheme: "svc:card-delegation", network: "card:processor" }),
    ]);
  });

  test("3. a missing token is answered 402 with the requirement, and the agent does not run", async () => {
    const { gate, service } = setUp();
    const work = vi.fn(hello);
    const response = await gate(ask(), work);
    expect(response.status).toBe(402);
    expect(work).not.toHaveBeenCalled();
    expect(service.called("verify")).toEqual([]);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({
      error: "Payment Required",
      code: "token_missing",
      reason: "no token",
      retryable: true,
      paymentRequired: { accepts: [{ planId: "42" }] },
    });
  });

  test("4. a refused token is answered 402 with its reason, and the agent does not run", async () => {
    const { gate, service } = setUp();
    service.handlers.verify = () => ({
      isValid: false,
      invalidReason: "insufficient_balance",
      error: "insufficient_balance",
    });
    const work = vi.fn(hello);
    const response = await gate(ask(TOKEN), work);
    expect(response.status).toBe(402);
    expect(work).not.toHaveBeenCalled();
    expect(decodePaymentRequired(response.headers.get("payment-required") ?? "")).toMatchObject({
      accepts: [{ planId: "42" }],
    });
    expect(await response.json()).toMatchObject({
      code: "insufficient_balance",
      reason: "token refused",
      retryable: false,
      message: "Order more credits.",
      paymentRequired: { error: "insufficient_balance" },
    });
  });

  test("5. a valid token reserves the credits and gives the work its payment", async () => {
    const { gate, service } = setUp({ credits: 3n, agentId: "7" });
    const work = vi.fn(hello);
    await gate(ask(tokenTextOf("42", "7")), work);
    const [verify] = service.called("verify");
    expect(verify?.body).toMatchObject({ reserve: true, maxAmount: "3" });
    expect(verify?.body.agentRequestId).toMatch(/^req_[0-9a-z]{32,48}$/);
    expect(work.mock.calls[0]?.[1]).toMatchObject({
      token: { payload: { authorization: { planId: "42" } } },
      agentRequestId: verify?.body.agentRequestId,
      payer: SUBSCRIBER,
      planId: "42",
      agentId: "7",
      credits: 3n,
      verification: { isValid: true },
    });
  });

  test("6. a 2xx answer settles under the same id and carries the receipt", async () => {
    const { gate, service } = setUp({ credits: 2 });
    const response = await gate(ask(TOKEN), () => new Response("made", { status: 201 }));
    expect(response.status).toBe(201);
    expect(await response.text()).toBe("made");
    const [verify] = service.called("verify");
    const [settle] = service.called("settle");
    expect(settle?.body).toMatchObject({
      maxAmount: "2",
      agentRequestId: verify?.body.agentRequestId,
      x402AccessToken: TOKEN,
    });
    expect(receiptOf(response)).toMatchObject({ success: true, creditsRedeemed: "2" });
    expect(response.headers.get("payment-request-id")).toBe(verify?.body.agentRequestId);
    expect(service.called("release")).toEqual([]);
  });

  test.each([
    ["is refused", () => refusedSettlement(), "insufficient_balance"],
    ["has no known outcome", () => refusal(503, "unavailable"), "settlement_pending"],
  ])(
    "7. a settlement that %s is logged and repeated, and the answer stays 200",
    async (_how, fails, errorReason) => {
      const { gate, service, errors, queue } = setUp();
      service.handlers.settle = ({ body }) =>
        service.called("settle").length < 3 ? fails() : settlementOf(body);
      const response = await gate(ask(TOKEN), hello);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ hello: "world" });
      expect(receiptOf(response)).toMatchObject({ success: false, errorReason, transaction: "" });
      expect(errors).toHaveLength(1);
      expect(errors[0]?.fields).toMatchObject({ errorReason, planId: "42" });
      expect(JSON.stringify(errors)).not.toContain(TOKEN);

      await queue.idle();
      const ids = service.called("settle").map(({ body }) => body.agentRequestId);
      expect(ids).toHaveLength(3);
      expect(new Set(ids).size).toBe(1);
    },
  );

  test.each([302, 404, 500])(
    "8. a %i answer is not charged and gives the hold back",
    async (status) => {
      const { gate, service } = setUp();
      const response = await gate(ask(TOKEN), () => new Response("no", { status }));
      expect(response.status).toBe(status);
      expect(await response.text()).toBe("no");
      expect(service.called("settle")).toEqual([]);
      expect(service.called("release")).toHaveLength(1);
      expect(response.headers.has("payment-response")).toBe(false);
    },
  );

  test("T19: 9. an exception propagates without a charge, and releases the credits", async () => {
    const { gate, service } = setUp();
    const broken = gate(ask(TOKEN), () => {
      throw new Error("the agent fell over");
    });
    await expect(broken).rejects.toThrow("the agent fell over");
    expect(service.called("settle")).toEqual([]);
    expect(service.called("release")).toHaveLength(1);
  });
});

describe("what the gate owns", () => {
  test("the work sees the request without the token", async () => {
    const { gate } = setUp();
    let seen: Request | undefined;
    await gate(ask(TOKEN, "/ask?q=1", { headers: { "x-mine": "1" }, body: "text" }), (request) => {
      seen = request;
      return hello(request);
    });
    expect(seen?.headers.has("payment-signature")).toBe(false);
    expect(seen?.headers.get("x-mine")).toBe("1");
    expect(seen?.url).toBe("http://agent.test/ask?q=1");
    expect(await seen?.text()).toBe("text");
  });

  test("T56: the work cannot rebuild the token from its payment", async () => {
    const { gate } = setUp();
    let payment: Payment | undefined;
    await gate(ask(TOKEN), (request, given) => {
      payment = given;
      return hello(request);
    });
    const { token } = payment as Payment;
    expect(token.payload.authorization.planId).toBe("42");
    const { signature } = decodeAccessToken(TOKEN) as AccessToken;
    expect(toJson(payment)).not.toContain(signature);
    expect(signatureOf(token as AccessToken)).toBeNull();
  });

  test("T57: a failed settlement tells the buyer nothing that is for the plan's owner", async () => {
    const { gate, service, errors } = setUp();
    service.handlers.settle = () => ({ ...refusedSettlement(), detail: "no_credits" });
    const response = await gate(ask(TOKEN), hello);
    expect(receiptOf(response)).toMatchObject({ errorReason: "insufficient_balance" });
    expect(receiptOf(response)).not.toHaveProperty("detail");
    expect(errors[0]?.fields).toMatchObject({ detail: "no_credits" });
  });

  test("T27: payment headers the agent sets are overwritten, its other headers stay", async () => {
    const { gate } = setUp();
    const forged = { "payment-response": "forged", "payment-required": "forged" };
    const response = await gate(ask(TOKEN), () => {
      const answer = new Response("ok", { headers: { ...forged, vary: "Accept", etag: "1" } });
      answer.headers.append("set-cookie", "a=1");
      answer.headers.append("set-cookie", "b=2");
      return answer;
    });
    expect(receiptOf(response)).toMatchObject({ success: true });
    expect(response.headers.has("payment-required")).toBe(false);
    expect(response.headers.get("vary")).toBe("Accept, payment-signature");
    expect(response.headers.get("etag")).toBe("1");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);

    const failed = await gate(
      ask(TOKEN),
      () => new Response("no", { status: 500, headers: forged }),
    );
    expect(failed.headers.has("payment-response")).toBe(false);
  });

  test("T26: every gated answer is private, varies by token and is readable from a browser", async () => {
    const { gate, service } = setUp();
    const answers = [
      await gate(ask(), hello),
      await gate(ask("%%%"), hello),
      await gate(ask(TOKEN), () => new Response("x", { headers: { "cache-control": "public" } })),
      await gate(ask(TOKEN), () => new Response("x", { status: 500 })),
      await gate(ask(TOKEN, "/%c0"), hello),
    ];
    service.handlers.verify = () => refusal(503, "unavailable");
    answers.push(await gate(ask(TOKEN), hello));
    for (const { headers } of answers) {
      expect(headers.get("cache-control")).toBe("no-store, private");
      expect(headers.get("vary")).toContain("payment-signature");
      expect(headers.get("access-control-expose-headers")).toBe(
        "payment-required, payment-response, payment-request-id",
      );
    }
  });
});

describe("invalid tokens", () => {
  test.each([
    ["sent twice", `${TOKEN}, ${TOKEN}`],
    ["joined by a comma", `${TOKEN},`],
    ["longer than the limit", "A".repeat(8193)],
    ["not base64", "hello world!"],
    ["base64 of something else", btoa("{}")],
  ])("a token header that is %s is refused without asking the service", async (_what, token) => {
    const { gate, service } = setUp();
    const work = vi.fn(hello);
    const response = await gate(ask(token), work);
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ code: "invalid_token", reason: "token refused" });
    expect(work).not.toHaveBeenCalled();
    expect(service.called("verify")).toEqual([]);
  });

  test("T22: an empty header is a missing token, and a token in the query is ignored", async () => {
    const { gate } = setUp();
    expect(await (await gate(ask(""), hello)).json()).toMatchObject({ code: "token_missing" });
    const inQuery = await gate(ask(undefined, `/ask?payment-signature=${TOKEN}`), hello);
    expect(await inQuery.json()).toMatchObject({ code: "token_missing" });
  });

  test("a token of a plan the route does not offer is refused as invalid_plan", async () => {
    const { gate, service } = setUp();
    const response = await gate(ask(tokenTextOf("99")), hello);
    expect(await response.json()).toMatchObject({ code: "invalid_plan", retryable: false });
    expect(service.called("verify")).toEqual([]);
  });
});

describe("fail closed", () => {
  const failures: [string, () => unknown][] = [
    ["is down", () => Promise.reject(new TypeError("fetch failed"))],
    ["answers 500", () => refusal(500, "internal")],
    ["answers 503", () => refusal(503, "unavailable")],
    ["answers rubbish", () => new Response("<html>", { status: 200 })],
    ["is behind a broken proxy", () => new Response("Bad gateway", { status: 502 })],
  ];
  test.each(failures)(
    "when verify %s the gate answers 503 and the work does not run",
    async (_how, fails) => {
      const { gate, service, errors } = setUp();
      service.handlers.verify = () => fails();
      const work = vi.fn(hello);
      const response = await gate(ask(TOKEN), work);
      expect(response.status).toBe(503);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(work).not.toHaveBeenCalled();
      expect(errors).toHaveLength(1);
    },
  );

  test("the service's Retry-After is passed on", async () => {
    const { gate, service } = setUp();
    service.handlers.verify = () => refusal(503, "unavailable", { "retry-after": "60" });
    expect((await gate(ask(TOKEN), hello)).headers.get("retry-after")).toBe("60");
  });

  test("a plan that cannot be read is 503, one that does not exist is 500, and neither is cached", async () => {
    const { gate, service } = setUp({ planId: "77" });
    service.handlers.getPlan = () => refusal(503, "unavailable");
    expect((await gate(ask(), hello)).status).toBe(503);
    service.handlers.getPlan = () => refusal(404, "not_found");
    expect((await gate(ask(), hello)).status).toBe(500);
    service.handlers.getPlan = () => planOf("77");
    expect((await gate(ask(), hello)).status).toBe(402);
  });

  test("a refused API key is 500, without the reason", async () => {
    const { gate, service } = setUp();
    service.handlers.verify = () => refusal(401, "unauthorized");
    const response = await gate(ask(TOKEN), hello);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("unauthorized");
  });

  test("when the plan's range has changed, the next request reads the plan again", async () => {
    const { gate, service } = setUp();
    service.handlers.verify = () => refusal(422, "invalid_amount");
    expect((await gate(ask(TOKEN), hello)).status).toBe(503);
    await gate(ask(), hello);
    expect(service.called("getPlan")).toHaveLength(2);
  });
});

describe("a refusal that is due to the route's setup", () => {
  const refuse = (detail: string, cause?: string) => () => ({
    ...{ isValid: false, invalidReason: "invalid_agent", error: "invalid_agent", detail },
    ...(cause && { cause }),
  });

  test.each([
    [
      "endpoint_not_registered",
      "POST http://agent.test/ask is not an endpoint of agent 7. Register it; if a proxy removes a path prefix, pass the gate `publicUrl`.",
    ],
    ["unknown_agent", "The owner of plan 42 has no agent 7. Correct `agentId` in the route."],
    ["plan_not_linked", "Plan 42 is not linked to agent 7. Link it, or correct the route."],
  ])("%s is logged once, with what to do", async (detail, reason) => {
    const { gate, service, errors } = setUp({ agentId: "7" });
    service.handlers.verify = refuse(detail);
    for (let call = 0; call < 3; call++) {
      const response = await gate(ask(TOKEN), hello);
      expect([response.status, (await response.text()).includes(detail)]).toEqual([402, false]);
    }
    const message = "Callers of a route are refused because of its setup.";
    const expected = [{ message, fields: { route: ROUTE, detail, reason } }];
    await expect.poll(() => errors).toEqual(expected);
  });

  const CHARGED_BY = {
    ONLY_GLOBAL_ROLE: 0,
    ONLY_OWNER: 1,
    ONLY_PLAN_ROLE: 2,
    ONLY_SUBSCRIBER: 4,
  } as const;
  const refusedOf = (redemptionType: number, owner: string, detail?: string) => {
    const plan = planOf("42");
    const credits = { ...plan.registry.credits, redemptionType } as typeof plan.registry.credits;
    const { gate, service, errors } = setUp();
    service.handlers.getPlan = () => ({
      ...{ ...plan, owner, registry: { ...plan.registry, credits } },
    });
    const refused = { isValid: false, invalidReason: "invalid_plan", error: "invalid_plan" };
    service.handlers.verify = () => ({ ...refused, ...(detail && { detail }) });
    return { errors, call: () => gate(ask(TOKEN), hello) };
  };

  test("a plan that its owner may not charge is logged as that", async () => {
    const { errors, call } = refusedOf(CHARGED_BY.ONLY_PLAN_ROLE, BUILDER, "not_your_plan");
    await call();
    const reason =
      "Plan 42 does not let its owner charge its credits. Use the API key of an account that may, or change the plan’s `redeemers` or `redemptionType`.";
    await expect
      .poll(() => errors)
      .toMatchObject([{ fields: { detail: "not_your_plan", reason } }]);
  });

  test.each([CHARGED_BY.ONLY_OWNER, CHARGED_BY.ONLY_SUBSCRIBER])(
    "another account’s plan, of redemption type %d, is logged once although the service says no more to strangers",
    async (redemptionType) => {
      const { errors, call } = refusedOf(redemptionType, SUBSCRIBER);
      await call();
      const reason =
        "Plan 42 belongs to another account. Use the API key of its owner, or correct `planId` in the route.";
      const logged = [{ fields: { route: ROUTE, detail: "not_your_plan", reason } }];
      await expect.poll(() => errors).toMatchObject(logged);
      await call();
      await new Promise((done) => setTimeout(done, 50));
      expect(errors).toHaveLength(1);
    },
  );

  test.each([
    ["the account’s own", BUILDER, CHARGED_BY.ONLY_SUBSCRIBER],
    ["one that it may charge for its owner", SUBSCRIBER, CHARGED_BY.ONLY_PLAN_ROLE],
    ["one that operators charge", SUBSCRIBER, CHARGED_BY.ONLY_GLOBAL_ROLE],
  ])("a refusal for a plan that is %s is not logged", async (_, owner, redemptionType) => {
    const { errors, call } = refusedOf(redemptionType, owner);
    await call();
    await new Promise((done) => setTimeout(done, 50));
    expect(errors).toEqual([]);
  });

  test("a refusal that is due to the caller is not logged", async () => {
    const { gate, service, errors } = setUp({ agentId: "7" });
    service.handlers.verify = refuse("other_agent", "other_agent");
    await gate(ask(TOKEN), hello);
    await new Promise((done) => setTimeout(done, 50));
    expect(errors).toEqual([]);
  });
});

test.each(["agent.example/api", "/api", "https://agent.example/api?x=1", ""])(
  "a gate is not made with the public URL %j",
  (publicUrl) => {
    expect(() => setUp({}, { publicUrl })).toThrow(/`publicUrl` is .*: use a URL like/);
  },
);

describe("credits", () => {
  test("T25: a function is called once per request, may be async and may read the body", async () => {
    const credits = vi.fn(async (request: Request) => ((await request.json()) as { n: number }).n);
    const { gate, service } = setUp({ credits });
    const response = await gate(ask(TOKEN, "/ask", { body: '{"n":4}' }), async (request) =>
      Response.json(await request.json()),
    );
    expect(await response.json()).toEqual({ n: 4 });
    expect(credits).toHaveBeenCalledTimes(1);
    expect(service.called("verify")[0]?.body.maxAmount).toBe("4");
    expect(service.called("settle")[0]?.body.maxAmount).toBe("4");
  });

  test("T25: credits outside the plan's range are clamped to it", async () => {
    for (const [credits, charged] of [
      [1000, "10"],
      [4n, "4"],
      [1n, "3"],
    ] as const) {
      const { gate, service } = setUp({ credits: () => credits, planId: "44" });
      await gate(ask(tokenTextOf("44")), hello);
      expect(service.called("settle")[0]?.body.maxAmount).toBe(charged);
    }
  });

  test("a fraction that a function returns is rounded up", async () => {
    for (const [credits, charged] of [
      [0.5, "1"],
      [1.5, "2"],
      [2, "2"],
      // Not eight: no float is 0.07 exactly.
      [0.07 * 100, "7"],
      [1e-12, "1"],
    ] as const) {
      const { gate, service } = setUp({ credits: () => credits });
      expect((await gate(ask(TOKEN), hello)).status).toBe(200);
      expect(service.called("settle")[0]?.body.maxAmount).toBe(charged);
    }
  });

  test.each([
    ["NaN", () => Number.NaN],
    ["a negative number", () => -1],
    ["zero", () => 0],
    ["a negative fraction", () => -0.5],
    ["infinity", () => Number.POSITIVE_INFINITY],
    ["a text", () => "5" as unknown as number],
    [
      "an exception",
      () => {
        throw new Error("secret detail");
      },
    ],
  ])("%s is answered 500 and the agent does not run", async (_what, credits) => {
    const { gate, service } = setUp({ credits });
    const work = vi.fn(hello);
    const response = await gate(ask(TOKEN), work);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret");
    expect(work).not.toHaveBeenCalled();
    expect(service.called("verify")).toEqual([]);
  });
});

describe("releasing the credits", () => {
  const failed: Work = () => new Response("no", { status: 500 });

  test("does not keep the caller waiting when the service hangs", async () => {
    const { gate, service } = setUp();
    service.handlers.release = () => new Promise(() => {});
    const started = Date.now();
    expect((await gate(ask(TOKEN), failed)).status).toBe(500);
    expect(Date.now() - started).toBeLessThan(3000);
  });

  test("is retried in the background until the service answers", async () => {
    const { gate, service, queue } = setUp();
    service.handlers.release = () =>
      service.called("release").length < 3
        ? refusal(503, "unavailable")
        : { success: true, released: "1" };
    await gate(ask(TOKEN), failed);
    await queue.idle();
    expect(service.called("release")).toHaveLength(3);
  });

  test("is done when the service knows of no reservation", async () => {
    const { gate, service, queue } = setUp();
    service.handlers.release = () => refusal(404, "not_found");
    await gate(ask(TOKEN), failed);
    await queue.idle();
    expect(service.called("release")).toHaveLength(1);
  });
});

test("an answer that is ready waits five seconds for its receipt when the service hangs, and is settled later", async () => {
  const { gate, service, queue } = setUp();
  service.handlers.settle = ({ body }) =>
    service.called("settle").length === 1 ? new Promise(() => {}) : settlementOf(body);
  onTestFinished(skipWaits());
  const started = performance.now();
  const response = await gate(ask(TOKEN), hello);
  expect(response.status).toBe(200);
  expect(performance.now() - started).toBeLessThan(6_000);
  await queue.idle();
  const ids = service.called("settle").map(({ body }) => body.agentRequestId);
  expect(ids).toEqual([ids[0], ids[0]]);
});

test("a receipt without an outcome names neither the service's address nor the seller's key", async () => {
  const { gate, service, errors } = setUp();
  service.handlers.settle = () => {
    throw new TypeError("connect ECONNREFUSED 10.0.0.7:4710");
  };
  const response = await gate(ask(TOKEN), hello);
  expect(decodeHeader(response.headers.get("payment-response") ?? "")).toMatchObject({
    success: false,
    errorReason: "settlement_pending",
    errorMessage: "The payment was not confirmed.",
  });
  expect(errors[0]?.fields.detail).toContain("connect ECONNREFUSED 10.0.0.7:4710");
});

test("a settlement that waits outlives a key that is refused: another key of the account settles it", async () => {
  const { gate, service, queue } = setUp();
  service.handlers.settle = ({ body }) => {
    const tries = service.called("settle").length;
    if (tries <= 2) return refusal(503, "unavailable");
    return tries <= 4
      ? refusal(tries === 3 ? 401 : 403, tries === 3 ? "unauthorized" : "forbidden")
      : settlementOf(body);
  };
  expect((await gate(ask(TOKEN), hello)).status).toBe(200);
  await queue.idle();
  expect(service.called("settle")).toHaveLength(5);
});

test.each<[string, () => unknown]>([
  ["by an error", () => refusal(409, "conflict")],
  [
    "as an outcome",
    () => ({
      ...{ success: false, errorReason: "invalid_plan", error: "invalid_plan", transaction: "" },
      ...{ network: "eip155:84532", detail: "It is conflict." },
    }),
  ],
])("a waiting settlement that is refused %s is logged with why", async (_how, refuse) => {
  const { gate, service, queue, errors } = setUp();
  service.handlers.settle = () =>
    service.called("settle").length < 3 ? refusal(503, "unavailable") : refuse();
  await gate(ask(TOKEN), hello);
  await queue.idle();
  expect(errors.at(-1)).toMatchObject({
    message: "A settlement was permanently refused; its call is not paid.",
    fields: { reason: "It is conflict." },
  });
});

test("a settlement that a proxy finds too large is not refused: it is settled once the proxy lets it through", async () => {
  const { gate, service, queue } = setUp();
  service.handlers.settle = ({ body }) =>
    service.called("settle").length < 3
      ? new Response("<h1>413 Request Entity Too Large</h1>", { status: 413 })
      : settlementOf(body);
  const response = await gate(ask(TOKEN), hello);
  expect(receiptOf(response)).toMatchObject({ success: false, errorReason: "settlement_pending" });
  await queue.idle();
  expect(service.called("settle")).toHaveLength(3);
});

test("two requests with one token have two ids", async () => {
  const { gate, service } = setUp();
  await Promise.all([gate(ask(TOKEN), hello), gate(ask(TOKEN), hello)]);
  const ids = service.called("settle").map(({ body }) => body.agentRequestId);
  expect(new Set(ids).size).toBe(2);
});

describe("other ways to settle", () => {
  test("strict withholds the body with 402 when settlement fails, and releases the credits", async () => {
    const { gate, service, queue } = setUp({}, { settle: "strict" });
    service.handlers.settle = () => refusedSettlement();
    const response = await gate(ask(TOKEN), hello);
    expect(response.status).toBe(402);
    expect(await response.text()).not.toContain("world");
    expect(receiptOf(response)).toMatchObject({ success: false });
    await queue.idle();
    expect(service.called("release")).toHaveLength(1);
    expect(service.called("settle")).toHaveLength(1);
  });

  test.each(["strict", "before"] as const)(
    "%s asks again for a settlement without an outcome, because what is withheld may be charged",
    async (settle) => {
      const { gate, service } = setUp({}, { settle });
      service.handlers.settle = ({ body }) =>
        service.called("settle").length <= 2 ? refusal(503, "unavailable") : settlementOf(body);
      const response = await gate(ask(TOKEN), hello);
      expect(await response.json()).toEqual({ hello: "world" });
      expect(receiptOf(response)).toMatchObject({ success: true });
      expect(service.called("release")).toEqual([]);
    },
  );

  test.each([401, 413])(
    "a %i after a settlement without an outcome does not tell its outcome",
    async (status) => {
      const { gate, service } = setUp({}, { settle: "strict" });
      const answers = [refusal(503, "unavailable"), new Response("", { status })];
      service.handlers.settle = ({ body }) => answers.shift() ?? settlementOf(body);
      const response = await gate(ask(TOKEN), hello);
      expect(await response.json()).toEqual({ hello: "world" });
      expect(receiptOf(response)).toMatchObject({ success: true });
    },
  );

  test("strict sends an answer that was settled", async () => {
    const { gate } = setUp({}, { settle: "strict" });
    const response = await gate(ask(TOKEN), hello);
    expect(await response.json()).toEqual({ hello: "world" });
    expect(receiptOf(response)).toMatchObject({ success: true });
  });

  test("before settles first, and does not run the work when that fails", async () => {
    const { gate, service } = setUp({}, { settle: "before" });
    const work = vi.fn(() => {
      expect(service.called("settle")).toHaveLength(1);
      return new Response("failed", { status: 500 });
    });
    const response = await gate(ask(TOKEN), work);
    expect(receiptOf(response)).toMatchObject({ success: true, outcome: "failed" });
    expect(service.called("release")).toEqual([]);

    service.handlers.settle = () => refusedSettlement();
    expect((await gate(ask(TOKEN), work)).status).toBe(402);
    expect(work).toHaveBeenCalledTimes(1);
  });

  test("before answers what the work throws with the receipt, and logs it", async () => {
    const { gate, errors } = setUp({}, { settle: "before" });
    const response = await gate(ask(TOKEN), () => {
      throw new Error("the agent fell over");
    });
    expect(response.status).toBe(500);
    expect(receiptOf(response)).toMatchObject({ success: true, outcome: "failed" });
    expect(errors).toMatchObject([
      {
        message: "The work failed.",
        fields: { reason: expect.stringMatching(/^Error: the agent fell over/) },
      },
    ]);
  });

  test("before says of work that succeeded that it did", async () => {
    const { gate } = setUp({}, { settle: "before" });
    const response = await gate(ask(TOKEN), () => new Response("done"));
    expect(receiptOf(response)).toMatchObject({ success: true, outcome: "succeeded" });
  });

  test("a queue that fails does not fail the answer", async () => {
    const queue = {
      start: () => {},
      add: () => {
        throw new Error("disk full");
      },
    };
    const { gate, service, errors } = setUp({}, { queue });
    service.handlers.settle = () => refusedSettlement();
    expect((await gate(ask(TOKEN), hello)).status).toBe(200);
    expect(errors.map(({ message }) => message)).toContain("The queue did not take a settle.");
  });
});

test.each([
  [{ maxBodyBytes: Number(undefined) }, "`maxBodyBytes` is NaN"],
  [{ timeOutMs: 5 }, "`timeOutMs` is not known. Did you mean `timeoutMs`?"],
  [{ webhook: "x" }, "`webhook` is not known. Use publicUrl, settle, "],
])("an option that is written wrongly is refused: %o", (options, message) => {
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER) });
  const create = () => createGate(payments, { "POST /ask": { planId: "42" } }, options as object);
  expect(create).toThrow(message);
});
