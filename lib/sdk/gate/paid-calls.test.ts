import { describe, expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  planOf,
  refusal,
  refusedSettlement,
  SUBSCRIBER,
  tokenTextOf,
} from "../test-support/fake-service.ts";
import type { RequestEvent } from "./observe.ts";
import type { PaidCall } from "./paid-call.ts";
import { createPaidCalls } from "./paid-calls.ts";
import { createMemoryQueue } from "./queue/memory-queue.ts";
import { repeatedElsewhere } from "./refusals.ts";

/** What the work of a call that is not HTTP may answer. */
type Answer = { text: string; isUseful: boolean };

const USEFUL: Answer = { text: "42", isUseful: true };
/** Work that ends only when its time does. */
const never = () => new Promise<Answer>(() => {});

function setUp(settle: "after" | "strict" | "before" = "after", timeoutMs = 50) {
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
      timeoutMs,
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
    expect(await call()).toMatchObject({ ...expected, body: { retryable: true } });
  });

  test.each([2 ** 31, Infinity])("unlimited in time with a limit of %d ms", async (timeoutMs) => {
    const { call } = setUp("after", timeoutMs);
    // Longer than the millisecond that Node makes of such a delay.
    const run = () => new Promise<Answer>((resolve) => setTimeout(resolve, 20, USEFUL));
    expect(await call({ run })).toMatchObject({ kind: "delivered" });
  });

  test.each([Number.NaN, 0, -1, 0.5, "soon" as never])(
    "not made with a limit of %s ms",
    (timeoutMs) => {
      expect(() => setUp("after", timeoutMs)).toThrow(
        /`timeoutMs` is .*: use a number of at least 1/,
      );
    },
  );

  test("unavailable, when the work runs out of time", async () => {
    const { call, service, events } = setUp();
    const discarded: Answer[] = [];
    const outcome = await call({
      run: (_payment, late) =>
        new Promise((resolve) => late?.addEventListener("abort", () => resolve(USEFUL))),
      discard: async (answer) => void discarded.push(answer),
    });
    const message = "The agent did not answer within 0.05 s; nothing was charged.";
    expect(outcome).toMatchObject({ kind: "unavailable", httpStatus: 504, body: { message } });
    const expected = { moneyStatus: "not-charged", httpStatus: 504, reason: "timeout" };
    expect(events).toMatchObject([expected]);
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

  test("not-charged, with a receipt, when the answer reports a failure", async () => {
    const { call, service, events } = setUp();
    const outcome = await call({ hasSucceeded: () => false });
    expect(outcome).toMatchObject({ kind: "not-charged", answer: USEFUL });
    expect(outcome).toHaveProperty("settlement", {
      success: false,
      errorReason: "work_failed",
      errorMessage: "The work failed, so nothing was charged.",
      error: "work_failed",
      outcome: "failed",
      payer: SUBSCRIBER,
      transaction: "",
      network: "eip155:84532",
      agentRequestId: service.called("verify")[0]?.body.agentRequestId,
    });
    const expected = { moneyStatus: "not-charged", httpStatus: 200, reason: "work_failed" };
    expect(events).toMatchObject([expected]);
  });

  test("withheld, when a payment by exact cannot be settled: no one could collect it later", async () => {
    const { call, service } = setUp();
    const { verify } = service.handlers;
    service.handlers.verify = async (request) => ({
      ...((await verify?.(request)) as object),
      scheme: "exact",
    });
    service.handlers.settle = () => refusedSettlement();
    expect(await call()).toMatchObject({ kind: "withheld", httpStatus: 402 });
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
    ["complete", 1, undefined],
    ["partial", 1, "cut_off"],
    ["nothing", 0, "nothing_delivered"],
  ] as const)("flowing, and settled by how it ends: %s", async (how, settled, reason) => {
    const { call, service, events } = setUp();
    const outcome = await call({ hold: async () => "flowing" });
    if (outcome.kind !== "flowing") throw new Error(outcome.kind);
    expect(service.called("settle")).toEqual([]);
    expect((await outcome.end(how))?.success).toBe(settled ? true : undefined);
    expect(service.called("settle")).toHaveLength(settled);
    expect(service.called("release")).toHaveLength(1 - settled);
    const moneyStatus = settled ? "settled" : "not-charged";
    expect(events).toMatchObject([{ moneyStatus, httpStatus: 200, ...(reason && { reason }) }]);
    expect((events[0] as RequestEvent).reason).toBe(reason);
  });

  test("flowing, and still owed when its settlement fails: it was delivered", async () => {
    const { call, service } = setUp();
    const outcome = await call({ hold: async () => "flowing", hasSucceeded: () => false });
    if (outcome.kind !== "flowing") throw new Error(outcome.kind);
    service.handlers.settle = () => refusal(503, "unavailable");
    expect(await outcome.end("partial")).toMatchObject({ success: false, outcome: "succeeded" });
    expect(service.called("release")).toEqual([]);
  });
});

describe("settled before the work", () => {
  test("a call that is delivered is reported as settled", async () => {
    const { call, events } = setUp("before");
    expect(await call()).toMatchObject({ kind: "delivered", settlement: { success: true } });
    expect(events).toMatchObject([{ moneyStatus: "settled", httpStatus: 200 }]);
  });

  test("work that throws stays charged, releases nothing, and its refusal has the receipt", async () => {
    const { call, service, events } = setUp("before");
    const outcome = await call({ run: () => Promise.reject(new Error("Out of order.")) });
    const settlement = { success: true, outcome: "failed" };
    expect(outcome).toMatchObject({ kind: "unavailable", httpStatus: 500, settlement });
    expect(events).toMatchObject([{ moneyStatus: "settled", reason: "exception" }]);
    expect(service.called("release")).toEqual([]);
  });

  test("work that runs out of time stays charged, and its refusal says so", async () => {
    const { call, events } = setUp("before");
    const outcome = await call({ run: never });
    const message = "The agent did not answer within 0.05 s; the request was charged.";
    expect(outcome).toMatchObject({ kind: "unavailable", httpStatus: 504, body: { message } });
    expect(events).toMatchObject([{ moneyStatus: "settled", httpStatus: 504, reason: "timeout" }]);
  });
});

test("a call rejects with what its work throws, and nothing is charged", async () => {
  const { call, service, events } = setUp();
  const error = new Error("Out of order.");
  await expect(call({ run: () => Promise.reject(error) })).rejects.toBe(error);
  const expected = { moneyStatus: "not-charged", httpStatus: 500, reason: "exception" };
  expect(events).toMatchObject([expected]);
  expect([service.called("settle").length, service.called("release").length]).toEqual([0, 1]);
});

test.each([
  { credits: 100, seconds: 0 },
  { credits: 100, seconds: 0.5 },
  { credits: 100, seconds: 61 },
  { credits: Number.NaN, seconds: 10 },
  { credits: 0, seconds: 10 },
])("a gate with the lease %o is not made", (lease) => {
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER) });
  const make = () =>
    createPaidCalls(
      payments,
      {},
      { lease, queue: createMemoryQueue(), report: false, isDelivered: () => true },
    );
  expect(make).toThrow(expect.objectContaining({ code: "invalid_input" }));
});

test("a request that another replica works on may be repeated", () => {
  expect(repeatedElsewhere()).toMatchObject({ retryAfterSecs: 1, body: { retryable: true } });
});
