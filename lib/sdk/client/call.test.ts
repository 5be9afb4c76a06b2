import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { parseInput } from "@/lib/server/pipeline/perform.ts";
import { operations } from "../protocol/operations.ts";
import {
  apiKeyOf,
  createFakeService,
  planOf,
  refusal,
  SUBSCRIBER,
  settlementOf,
  tokenTextOf,
} from "../test-support/fake-service.ts";
import { call } from "./call.ts";
import { Payments } from "./payments.ts";

const apiKey = apiKeyOf(SUBSCRIBER);

function setUp(options: Partial<Parameters<typeof Payments.getInstance>[0]> = {}) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey, fetch: service.fetch, ...options });
  return { service, payments };
}

const paymentRequired = {
  x402Version: 2,
  accepts: [{ scheme: "svc:erc4337", planId: "42" }],
} as const;
const settleInput = {
  paymentRequired: { ...paymentRequired, accepts: [...paymentRequired.accepts] },
  x402AccessToken: tokenTextOf("42"),
};

test("wrong input is told in the protocol's words, whatever words an app has set", async () => {
  const { localeError } = z.config();
  z.config({ localeError: () => "Unrecognized" });
  try {
    const { payments } = setUp();
    const misnamed = { url: "https://builder.example/hooks", types: ["key.*"] };
    await expect(payments.webhooks.createWebhookEndpoint(misnamed)).rejects.toThrow(
      "Unknown field: types.",
    );
    expect(() => parseInput(operations.createWebhookEndpoint, misnamed)).toThrow(
      "Unknown field: types.",
    );
  } finally {
    z.config({ localeError });
  }
});

test("input of the package's own making is sent without a check, and any other is not", async () => {
  const { service, payments } = setUp();
  const long = { ...settleInput, agentRequestId: "x".repeat(200) };
  await call(payments.connection, "settlePermissions", long, { isOwn: true });
  expect(service.called("settle")).toHaveLength(1);
  const settling = payments.facilitator.settlePermissions(long);
  await expect(settling).rejects.toMatchObject({ code: "invalid_input" });
  expect(service.called("settle")).toHaveLength(1);
});

test.each([{}, { items: [null] }, { items: "x" }, null])(
  "what is no batch is invalid input, also under a key: %j",
  async (given) => {
    const { service, payments } = setUp();
    const batch = given && { idempotencyKey: "batch-0000-0000-0001", ...given };
    const settling = payments.facilitator.settleBatch(batch as never);
    await expect(settling).rejects.toMatchObject({ code: "invalid_input" });
    expect(service.calls).toEqual([]);
  },
);

describe("what is sent", () => {
  test("the key as bearer, path members in the path, the rest in the query", async () => {
    const { service, payments } = setUp();
    service.handlers.listPlans = () => ({ items: [], plans: [], total: 0, page: 1, offset: 25 });
    await payments.plans.listPlans({ cursor: "a b", limit: 5 });
    expect(service.calls[0]?.url).toBe(
      "http://localhost:3000/api/v1/protocol/plans?cursor=a+b&limit=5",
    );
    expect(service.calls[0]?.headers.get("authorization")).toBe(`Bearer ${apiKey}`);
    await payments.plans.getPlan("42");
    expect(service.calls[1]?.path).toBe("/protocol/plans/42");
  });

  test("no redirect is followed: it would take key or body elsewhere", async () => {
    const { service, payments } = setUp();
    await payments.plans.getPlan("42");
    expect(service.calls[0]?.redirect).toBe("manual");
  });

  test("a reserve under a new id, unless it has one", async () => {
    const { service, payments } = setUp();
    const agentRequestId = "my-request-id-0001";
    await payments.facilitator.verifyPermissions({ ...settleInput, reserve: true });
    await payments.facilitator.verifyPermissions({ ...settleInput, reserve: true, agentRequestId });
    await payments.facilitator.verifyPermissions(settleInput);
    const ids = service.called("verify").map(({ body }) => body.agentRequestId);
    expect(ids).toEqual([expect.stringMatching(/^req_/), agentRequestId, undefined]);
  });

  test("amounts as decimal strings", async () => {
    const { service, payments } = setUp();
    await payments.facilitator.settlePermissions({ ...settleInput, maxAmount: 2n ** 200n });
    expect(service.calls[0]?.body.maxAmount).toBe((2n ** 200n).toString());
  });

  test("an idempotency key as a header, made for an order that has none", async () => {
    const { service, payments } = setUp();
    service.handlers.orderPlan = () => ({ success: true, orderId: "o1", status: "minted" });
    await payments.plans.orderPlan("42", { idempotencyKey: "mine" });
    await payments.plans.orderPlan("42");
    await payments.plans.orderPlan("42");
    const keys = service.calls.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[0]).toBe("mine");
    expect(new Set(keys).size).toBe(3);
    expect(service.calls[0]?.body).toEqual({});
  });

  test("nothing, when the input is wrong: the error names the field", async () => {
    const { service, payments } = setUp();
    const wrong = call(payments.connection, "getPlan", { planId: "-1" });
    await expect(wrong).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("getPlan: `planId`:"),
      details: [{ path: "planId" }],
    });
    await expect(payments.delegation.revokeDelegation("..")).rejects.toThrow('".." is not an id');
    await expect(payments.tokens.revokeToken("")).rejects.toThrow("is not an id");
    expect(service.calls).toEqual([]);
  });

  test("ids are encoded into the path", async () => {
    const { service, payments } = setUp();
    await payments.delegation.getDelegation("a/b?c").catch(() => {});
    expect(service.calls[0]?.path).toBe("/delegation/a%2Fb%3Fc");
  });
});

describe("what comes back", () => {
  test("is parsed: amounts are bigint, null equals absent", async () => {
    const { service, payments } = setUp();
    const balance = {
      planId: "42",
      planName: "Plan 42",
      planType: "credits",
      holderAddress: SUBSCRIBER,
      balance: "9007199254740993",
      held: 1,
      isSubscriber: true,
      expiresAt: null,
      creditsContract: "0x",
      pricePerCredit: 0.1,
    };
    service.handlers.getPlanBalance = () => balance;
    const answer = await payments.plans.getPlanBalance("42");
    expect(service.calls[0]?.path).toBe(`/protocol/plans/42/balance/${SUBSCRIBER}`);
    expect(answer.balance).toBe(9_007_199_254_740_993n);
    expect(answer).not.toHaveProperty("expiresAt");
  });

  test("an error envelope is thrown as the same error", async () => {
    const { service, payments } = setUp();
    service.handlers.getPlan = () => refusal(404, "not_found");
    await expect(payments.plans.getPlan("42")).rejects.toMatchObject({
      name: "PaymentsError",
      code: "not_found",
      message: "It is not_found.",
      hint: "Do the right thing.",
      requestId: "req-1",
      details: [{ path: "planId", message: "wrong" }],
    });
  });

  test("a new API key is read also where an earlier release does not tell its rights", async () => {
    const answer = { apiKey: "svc-x", keyId: "k", expiresAt: "2027-01-01T00:00:00Z" };
    const { payments } = setUp({ fetch: async () => Response.json(answer) });
    await expect(payments.apiKeys.createApiKey({ name: "x", preset: "gate" })).resolves.toEqual(
      answer,
    );
  });

  test("what can be refunded is read also where an earlier release does not tell the least", async () => {
    const answer = {
      ...{ orderId: "o", planId: "42", planName: "Starter", subscriber: "0xa", currency: "usd" },
      ...{ paid: "500", refunded: "0", left: "500", unused: "500", step: "1" },
      credits: { granted: "10", available: "10", held: "0", used: "0" },
      createdAt: "2027-01-01T00:00:00Z",
    };
    const { payments } = setUp({ fetch: async () => Response.json(answer) });
    await expect(payments.money.getRefundable("o")).resolves.toEqual(answer);
  });

  test("renewals are read also where an earlier release answers without a page's members", async () => {
    const { payments } = setUp({ fetch: async () => Response.json({ items: [] }) });
    await expect(payments.money.listRenewals()).resolves.toEqual({ items: [] });
  });

  test.each([
    ["a page of another server", () => new Response("<html>", { status: 404 }), "invalid_answer"],
    ["a proxy's refusal", () => new Response("no", { status: 401 }), "unauthorized"],
    ["an answer of another form", () => Response.json({ id: 42 }), "invalid_answer"],
    ["an answer that is no JSON", () => new Response("hello"), "invalid_answer"],
    ["a redirect", () => Response.redirect("https://other.example/", 307), "invalid_answer"],
  ])("%s is told apart from the service's own words", async (_what, answer, code) => {
    const { service, payments } = setUp();
    service.handlers.getPlan = answer;
    await expect(payments.plans.getPlan("42")).rejects.toMatchObject({ code });
  });

  test("an address that refuses connections is a network error with the reason", async () => {
    const payments = Payments.getInstance({ apiKey, baseUrl: "http://127.0.0.1:1", maxRetries: 0 });
    await expect(payments.plans.getPlan("42")).rejects.toMatchObject({
      code: "network_error",
      message: expect.stringContaining("did not reach http://127.0.0.1:1"),
    });
  });
});

describe("repeats", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const settled = async <T>(promise: Promise<T>, ms = 60_000) => {
    const result = promise.then(
      (value) => ({ value, error: null }),
      (error) => ({ value: null, error }),
    );
    await vi.advanceTimersByTimeAsync(ms);
    return result;
  };

  test("a read is repeated twice after network errors, then given up", async () => {
    const { service, payments } = setUp();
    service.handlers.getPlan = () => Promise.reject(new TypeError("fetch failed"));
    const { error } = await settled(payments.plans.getPlan("42"));
    expect(error).toMatchObject({ code: "network_error" });
    expect(service.calls).toHaveLength(3);
  });

  test("a read that works the second time is answered", async () => {
    const { service, payments } = setUp();
    service.handlers.getPlan = () =>
      service.calls.length === 1 ? refusal(503, "unavailable") : planOf("42");
    expect((await settled(payments.plans.getPlan("42"))).value).toMatchObject({ planId: "42" });
  });

  test("Retry-After is honoured, and not waited for when it is long", async () => {
    const { service, payments } = setUp();
    const at: number[] = [];
    service.handlers.getPlan = () => {
      at.push(Date.now());
      return refusal(429, "rate_limited", { "retry-after": "7" });
    };
    await settled(payments.plans.getPlan("42"));
    expect(at.map((time) => time - (at[0] as number))).toEqual([0, 7000, 14_000]);

    service.handlers.getPlan = () => refusal(429, "rate_limited", { "retry-after": "3600" });
    const { error } = await settled(payments.plans.getPlan("42"));
    expect(error).toMatchObject({ code: "rate_limited", retryAfterSecs: 3600 });
    expect(service.calls).toHaveLength(4);
  });

  test("with `endsAtTimeout`, attempts and pauses together end at the timeout", async () => {
    const { service, payments } = setUp();
    const failing = async (options: object) => {
      const started = Date.now();
      const failed = call(payments.connection, "getPlan", { planId: "42" }, options).catch(
        ({ code }) => [code, Date.now() - started],
      );
      return (await settled(failed)).value;
    };
    const soon = { timeoutMs: 5_000, maxRetries: 1, endsAtTimeout: true };
    const answers: (() => unknown)[] = [];
    service.handlers.getPlan = () => answers.shift()?.() ?? new Promise(() => {});
    const refuse = (after: string) => () => refusal(503, "unavailable", { "retry-after": after });

    answers.push(refuse("2"));
    expect(await failing(soon)).toEqual(["timeout", 5_000]);
    answers.push(() => Promise.reject(new TypeError("fetch failed")));
    expect(await failing(soon)).toEqual(["timeout", 5_000]);
    // There is no time left after the pause.
    answers.push(refuse("20"));
    expect(await failing(soon)).toEqual(["unavailable", 0]);
    expect(await failing(soon)).toEqual(["timeout", 5_000]);
    expect(service.calls).toHaveLength(6);
    answers.push(refuse("2"));
    expect(await failing({ ...soon, endsAtTimeout: false })).toEqual(["timeout", 7_000]);
  });

  test("a clock that is set forward takes no time from `endsAtTimeout`", async () => {
    const { service, payments } = setUp();
    const { getPlan } = service.handlers;
    service.handlers.getPlan = (asked) => {
      if (service.calls.length > 1) return getPlan?.(asked);
      vi.setSystemTime(Date.now() + 60_000);
      return refusal(503, "unavailable");
    };
    const soon = { timeoutMs: 5_000, maxRetries: 1, endsAtTimeout: true };
    const asking = call(payments.connection, "getPlan", { planId: "42" }, soon);
    expect((await settled(asking)).error).toBeNull();
    expect(service.calls).toHaveLength(2);
  });

  test("a refusal is never repeated", async () => {
    const { service, payments } = setUp();
    service.handlers.getPlan = () => refusal(404, "not_found");
    await settled(payments.plans.getPlan("42"));
    expect(service.calls).toHaveLength(1);
  });

  test("what makes something new is not repeated, unless it carries a name", async () => {
    const { service, payments } = setUp();
    for (const name of ["mint", "registerPlan", "orderPlan", "settle"]) {
      service.handlers[name] = () => refusal(503, "unavailable");
    }
    const free = { amounts: [], receivers: [] };
    const credits = { isRedemptionAmountFixed: true, amount: "1" };
    await settled(call(payments.connection, "getX402AccessToken", { accepted: { planId: "42" } }));
    await settled(payments.plans.registerCreditsPlan({ name: "A" }, free, credits));
    await settled(call(payments.connection, "orderPlan", { planId: "42" }));
    await settled(call(payments.connection, "settlePermissions", settleInput));
    expect(service.calls).toHaveLength(4);

    await settled(payments.plans.registerCreditsPlan({ name: "A" }, free, credits, { nonce: 1n }));
    await settled(payments.plans.orderPlan("42"));
    await settled(payments.facilitator.settlePermissions(settleInput));
    expect(service.calls).toHaveLength(13);
    for (const name of ["orderPlan", "settle"]) {
      const repeats = service.called(name).slice(1);
      const names = repeats.map(
        ({ headers, body }) => headers.get("idempotency-key") ?? body.agentRequestId,
      );
      expect(names).toHaveLength(3);
      expect(new Set(names).size).toBe(1);
    }
  });

  test("a call that hangs ends after 30 s, settle after 60 s, even when fetch does not heed the signal", async () => {
    const { payments } = setUp({ maxRetries: 0, fetch: () => new Promise(() => {}) });
    const { error } = await settled(payments.plans.getPlan("42"), 30_000);
    expect(error).toMatchObject({ code: "timeout", message: "getPlan had no answer within 30 s." });
    const settling = payments.facilitator.settlePermissions({
      ...settleInput,
      agentRequestId: "my-request-id-0001",
    });
    expect((await settled(settling, 60_000)).error).toMatchObject({
      code: "timeout",
      message: "settlePermissions (agentRequestId my-request-id-0001) had no answer within 60 s.",
    });
  });

  test("the connection's time-out and number of repeats replace the defaults", async () => {
    const { service, payments } = setUp({ timeoutMs: 1000, maxRetries: 1 });
    service.handlers.settle = async ({ body }) => {
      await new Promise((resolve) => setTimeout(resolve, service.calls.length === 1 ? 2000 : 1));
      return settlementOf(body);
    };
    const { value } = await settled(payments.facilitator.settlePermissions(settleInput));
    expect(value).toMatchObject({ success: true });
    expect(service.calls).toHaveLength(2);
  });
});

test("an alert of a kind that a later release adds is shown as it is given", async () => {
  const kind = "invented-later";
  const of = { ruleId: "r", kind, threshold: 1 };
  const alert = {
    ...{ ...of, alertId: "a", status: "open", title: "T", detail: "D", value: "1", openedAt: "" },
    action: { label: "L", path: "/" },
  };
  const rule = { ...of, channels: [], isOn: true, isBuiltIn: true };
  const { payments } = setUp({
    fetch: async (request) =>
      Response.json(
        new Request(request).url.endsWith("/alerts")
          ? { items: [alert], total: 1, page: 1, offset: 25 }
          : { items: [rule] },
      ),
  });
  expect((await payments.alerts.listAlerts()).items).toEqual([alert]);
  expect((await payments.alerts.listAlertRules()).items).toEqual([rule]);
});
