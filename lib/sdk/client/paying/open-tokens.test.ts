import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { apiKeyOf, refusal, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { createSellingService } from "../../test-support/selling-service.ts";
import { Payments } from "../payments.ts";

const MINUTE_MS = 60_000;

beforeEach(() => {
  const now = new Date("2026-01-01T01:00:00Z");
  vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout"], now });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A buyer who may spend so much a day, of orders for 100, and agents behind a proxy whose answer to a paid call is given. */
function setUp(answer: () => Response, perDay = 300n) {
  const service = createSellingService(1n, () => 0);
  const buyer = Payments.getInstance({
    apiKey: apiKeyOf(SUBSCRIBER),
    fetch: service.fetch,
    maxSpend: { perDay },
  });
  const accepts = [{ scheme: "svc:erc4337", planId: "42", amount: "1" }];
  const asking = { code: "token_missing", paymentRequired: { x402Version: 2, accepts } };
  const fetch = async (request: Request) =>
    request.headers.has("payment-signature") ? answer() : Response.json(asking, { status: 402 });
  const call = (url = "https://agent.example/ask", maxSpend = 100n) =>
    buyer.fetch(url, { method: "POST" }, { fetch, maxSpend });
  return { service, call };
}

const ofProxy = () => new Response("Bad Gateway", { status: 502 });

test("calls that a proxy answered before anything was ordered use nothing of a day’s limit", async () => {
  const { service, call } = setUp(ofProxy);
  for (let n = 1; n <= 5; n++) {
    expect((await call()).order).toBe("unknown");
    vi.advanceTimersByTime(11 * MINUTE_MS);
  }
  expect([service.orders(), service.called("revokeToken").length]).toEqual([0, 4]);
});

test("the order of a call is unknown while its stream is not settled", async () => {
  const { call } = setUp(() => new Response("data: 1\n\n"));
  expect(await call()).toMatchObject({ receipt: null, order: "unknown" });
});

test("a call to another agent does not wait for what an earlier one left open", async () => {
  const { service, call } = setUp(ofProxy);
  await call();
  vi.advanceTimersByTime(11 * MINUTE_MS);
  service.handlers.getToken = () => new Promise(() => {});
  expect((await call("https://other.example/ask")).response.status).toBe(502);
  await expect.poll(() => service.called("getToken").length).toBe(1);
});

test("what a call left open is asked for again where the service did not answer", async () => {
  const { service, call } = setUp(ofProxy, 100n);
  const { getToken = () => null } = service.handlers;
  await call();
  vi.advanceTimersByTime(11 * MINUTE_MS);
  service.handlers.getToken = () => refusal(503, "unavailable");
  await expect(call()).rejects.toMatchObject({ code: "spending_not_allowed" });
  service.handlers.getToken = getToken;
  expect((await call()).order).toBe("unknown");
});

test("calls at once wait for the same token that is given back", async () => {
  const { service, call } = setUp(ofProxy, 200n);
  await call();
  vi.advanceTimersByTime(11 * MINUTE_MS);
  const calls = ["a", "b", "c"].map((name) => call(`https://agent.example/${name}`));
  const ended = await Promise.allSettled(calls);
  expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  expect(service.called("revokeToken")).toHaveLength(1);
});

test("what a call left open is asked for once where the service refuses to answer", async () => {
  const { service, call } = setUp(ofProxy);
  service.handlers.getToken = () => refusal(403, "forbidden");
  for (const name of ["a", "b", "c"]) {
    await call(`https://agent.example/${name}`);
    vi.advanceTimersByTime(11 * MINUTE_MS);
  }
  await expect(call()).rejects.toMatchObject({ code: "spending_not_allowed" });
  expect(service.called("getToken")).toHaveLength(3);
});

test("a mint that the price alone rules out does not wait for what an earlier one left open", async () => {
  const { service, call } = setUp(ofProxy);
  await call();
  vi.advanceTimersByTime(11 * MINUTE_MS);
  service.handlers.getToken = () => new Promise(() => {});
  await expect(call("https://other.example/ask", 99n)).rejects.toMatchObject({
    code: "spending_not_allowed",
  });
});
