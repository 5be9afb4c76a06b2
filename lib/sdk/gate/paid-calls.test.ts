import { describe, expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  planOf,
  refusal,
  refusedSettlement,
  tokenTextOf,
} from "../test-support/fake-service.ts";
import type { RequestEvent } from "./observe.ts";
import type { PaidCall } from "./paid-call.ts";
import { createPaidCalls } from "./paid-calls.ts";
import { createMemoryQueue } from "./queue/memory-queue.ts";

/** What the work of a call that is not HTTP may answer. */
type Answer = { text: string; isUseful: boolean };

const USEFUL: Answer = { text: "42", isUseful: true };

function setUp(settle: "after" | "strict" | "before" = "after") {
  const service = createFakeService([planOf("42")]);
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    baseUrl: "http://service.test",
    fetch: service.fetch,
    maxRetries: 0,
  });
  const events: RequestEvent[] = [];
  const runPaidCall = createPaidCalls(
    payments,
    { "POST /tools/count": { planId: "42", credits: ({ length }: { length: number }) => length } },
    {
      settle,
      timeoutMs: 50,
      queue: createMemoryQueue(),
      report: false,
      logger: { error: () => {} },
      observe: (event) => void (event.type === "request" && events.push(event)),
      isDelivered: ({ isUseful }: Answer) => isUseful,
    },
  );
  const call = (changes: Partial<PaidCall<{ length: number }, Answer>> = {}) =>
    runPaidCall({
      method: "POST",
      url: "mcp://reader/tools/count",
      resource: "mcp://reader/tools/count",
      token: tokenTextOf("42"),
      price: (credits) => credits({ length: 3 }),
      run: async () => USEFUL,
      statusOf: ({ isUseful }) => (isUseful ? 200 : 500),
      ...changes,
    });
  return { service, call, events };
}

describe("the outcome of a call is a value", () => {
  test("not-gated, without a route", async () => {
    const { call, events } = setUp();
    expect(await call({ url: "mcp://reader/tools/free" })).toEqual({ kind: "not-gated" });
    expect(events).toEqual([]);
  });

  test("payment-required, without a token, at the price of its input", async () => {
    const { call, events } = setUp();
    expect(await call({ token: null })).toMatchObject({
      kind: "payment-required",
      httpStatus: 402,
      body: {
        code: "token_missing",
        paymentRequired: {
          resource: { url: "mcp://reader/tools/count" },
          accepts: [{ scheme: "svc:erc4337", network: "eip155:84532", amount: "3" }],
        },
      },
    });
    expect(events).toMatchObject([{ moneyStatus: "challenged", route: "POST /tools/count" }]);
  });

  test.each(["", "!", "a b", tokenTextOf("43")])("refused, with the token %j", async (token) => {
    const { call, service } = setUp();
    const outcome = await call({ token });
    expect(outcome).toMatchObject({ kind: "refused", httpStatus: 402 });
    expect(service.called("verify")).toEqual([]);
  });

  test("refused, at an ambiguous path", async () => {
    const { call } = setUp();
    const outcome = await call({ url: "mcp://reader/tools/%2fcount" });
    expect(outcome).toMatchObject({ kind: "refused", httpStatus: 400 });
  });

  test("unavailable, while the service is", async () => {
    const { call, service } = setUp();
    service.handlers.verify = () => refusal(503, "unavailable", { "retry-after": "30" });
    const expected = { kind: "unavailable", httpStatus: 503, retryAfterSecs: 30 };
    expect(await call()).toMatchObject(expected);
  });

  test("unavailable, when the work runs out of time", async () => {
    const { call, service } = setUp();
    const discarded: Answer[] = [];
    const outcome = await call({
      run: (_payment, late) =>
        new Promise((resolve) => late?.addEventListener("abort", () => resolve(USEFUL))),
      discard: async (answer) => void discarded.push(answer),
    });
    expect(outcome).toMatchObject({ kind: "unavailable", httpStatus: 504 });
    await expect.poll(() => discarded).toEqual([USEFUL]);
    expect([service.called("settle").length, service.called("release").length]).toEqual([0, 1]);
  });

  test("not-charged, when the answer does not count as delivered", async () => {
    const { call, service, events } = setUp();
    const answer = { text: "", isUseful: false };
    expect(await call({ run: async () => answer })).toMatchObject({ kind: "not-charged", answer });
    expect([service.called("settle").length, service.called("release").length]).toEqual([0, 1]);
    expect(events).toMatchObject([{ moneyStatus: "not-charged", reason: "status_500" }]);
  });

  test("delivered, with its settlement", async () => {
    const { call } = setUp();
    expect(await call()).toMatchObject({
      kind: "delivered",
      answer: USEFUL,
      settlement: { success: true, creditsRedeemed: "3" },
    });
  });

  test.each(["strict", "before"] as const)("withheld, when settling %s fails", async (settle) => {
    const { call, service } = setUp(settle);
    service.handlers.settle = () => refusedSettlement();
    expect(await call()).toMatchObject({
      kind: "withheld",
      httpStatus: 402,
      body: { code: "insufficient_balance" },
      settlement: { success: false },
    });
  });

  test.each([
    ["complete", 1],
    ["partial", 1],
    ["nothing", 0],
  ] as const)("flowing, and settled by how it ends: %s", async (how, settled) => {
    const { call, service } = setUp();
    const outcome = await call({ hold: async () => "flowing" });
    if (outcome.kind !== "flowing") throw new Error(outcome.kind);
    expect(service.called("settle")).toEqual([]);
    expect((await outcome.end(how))?.success).toBe(settled ? true : undefined);
    expect(service.called("settle")).toHaveLength(settled);
    expect(service.called("release")).toHaveLength(1 - settled);
  });
});

test("a call rejects with what its work throws, and nothing is charged", async () => {
  const { call, service } = setUp();
  const error = new Error("Out of order.");
  await expect(call({ run: () => Promise.reject(error) })).rejects.toBe(error);
  expect([service.called("settle").length, service.called("release").length]).toEqual([0, 1]);
});
