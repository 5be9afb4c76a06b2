import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { apiKeyOf, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { createSellingService } from "../../test-support/selling-service.ts";
import { Payments } from "../payments.ts";

const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-01-01T01:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A buyer who may spend three orders a day, and an agent behind a proxy whose answer to a paid call is given. */
function setUp(answer: () => Response) {
  const service = createSellingService(1n, () => 0);
  const buyer = Payments.getInstance({
    apiKey: apiKeyOf(SUBSCRIBER),
    fetch: service.fetch,
    maxSpend: { perDay: 300n },
  });
  const accepts = [{ scheme: "svc:erc4337", planId: "42", amount: "1" }];
  const asking = { code: "token_missing", paymentRequired: { x402Version: 2, accepts } };
  const fetch = async (request: Request) =>
    request.headers.has("payment-signature") ? answer() : Response.json(asking, { status: 402 });
  const call = () =>
    buyer.fetch("https://agent.example/ask", { method: "POST" }, { fetch, maxSpend: 100n });
  return { service, call };
}

test("calls that a proxy answered before anything was ordered use nothing of a day’s limit", async () => {
  const { service, call } = setUp(() => new Response("Bad Gateway", { status: 502 }));
  for (let n = 1; n <= 5; n++) {
    expect((await call()).order).toBe("unknown");
    vi.setSystemTime(Date.now() + 11 * MINUTE_MS);
  }
  expect([service.orders(), service.called("revokeToken").length]).toEqual([0, 4]);
});

test("the order of a call is unknown while its stream is not settled", async () => {
  const { call } = setUp(() => new Response("data: 1\n\n"));
  expect(await call()).toMatchObject({ receipt: null, order: "unknown" });
});
