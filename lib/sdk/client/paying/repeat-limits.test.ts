import { expect, test, vi } from "vitest";
import { createGate } from "../../gate/gate.ts";
import { createMemoryQueue } from "../../gate/queue/memory-queue.ts";
import { encodeHeader } from "../../protocol/x402-headers.ts";
import { apiKeyOf, refusal, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { createSellingService } from "../../test-support/selling-service.ts";
import type { PayingFetchOptions } from "../paid-response.ts";
import { Payments } from "../payments.ts";

const KEY = "lost-call-0000001";

/** A buyer whose first call must order a plan of some credits, and an agent whose answers are `lost`, there or back. */
function setUp(granted: bigint) {
  const service = createSellingService(granted, () => 0);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const work = vi.fn(async () => new Response("done"));
  const gate = createGate(
    payments,
    { "POST /ask": { planId: "42" } },
    { queue: createMemoryQueue(), report: false },
  );
  const net = { lost: null as "there" | "back" | null };
  const fetch = async (request: Request) => {
    const isPaid = request.headers.has("payment-signature");
    const lose = () => Promise.reject(new TypeError("The connection broke off."));
    if (isPaid && net.lost === "there") return lose();
    const answer = await gate(request, work);
    return isPaid && net.lost ? lose() : answer;
  };
  const ask = (options: PayingFetchOptions, key = KEY) =>
    payments.fetch(
      "http://agent.test/ask",
      { method: "POST", headers: { "idempotency-key": key } },
      { fetch, ...options },
    );
  const lose = async (way: "there" | "back") => {
    net.lost = way;
    await expect(ask({ maxSpend: 500n })).rejects.toThrow("broke off");
    net.lost = null;
  };
  const counts = () => [
    work.mock.calls.length,
    service.called("settle").length,
    service.orders(),
    service.called("revokeToken").length,
  ];
  return { service, work, ask, lose, counts };
}

/** One run, one charge, one order, and no token revoked. */
const ONCE = [1, 1, 1, 0];

test.each<[string, bigint, PayingFetchOptions]>([
  ["the same limits", 10n, { maxSpend: 500n }],
  ["no limits, because the plan is bought", 10n, {}],
  ["a higher limit", 10n, { maxSpend: 600n }],
  ["a higher limit, where an order is worth one call", 1n, { maxSpend: 600n }],
  ["no limits, where an order is worth one call", 1n, {}],
])(
  "a lost call that bought its plan is paid once when it is made again with %s",
  async (_, granted, again) => {
    const { ask, lose, counts } = setUp(granted);
    await lose("back");
    expect(counts()).toEqual(ONCE);
    expect((await ask(again)).response.status).toBe(200);
    expect(counts()).toEqual(ONCE);
  },
);

test("a lost call that ordered nothing orders within the limits of its repeat", async () => {
  const { service, ask, lose, counts } = setUp(1n);
  await lose("there");
  await expect(ask({ maxSpend: 99n })).rejects.toMatchObject({ code: "spending_not_allowed" });
  expect(service.called("revokeToken")).toHaveLength(1);
  expect((await ask({ maxSpend: 100n })).response.status).toBe(200);
  expect(counts()).toEqual([1, 1, 1, 1]);
});

test("a repeat with other limits pays nothing as long as the service does not tell what the call ordered", async () => {
  const { service, ask, lose, counts } = setUp(1n);
  const { getToken = () => null } = service.handlers;
  await lose("back");
  service.handlers.getToken = () => refusal(503, "unavailable");
  for (let repeat = 0; repeat < 2; repeat += 1) {
    await expect(ask({ maxSpend: 600n })).rejects.toMatchObject({
      code: "outcome_unknown",
      hint: expect.stringContaining("the earlier limits"),
    });
  }
  service.handlers.getToken = getToken;
  expect((await ask({ maxSpend: 600n })).response.status).toBe(200);
  expect(counts()).toEqual(ONCE);
});

test("a repeat with other limits pays nothing while an order of the call is under way", async () => {
  const { service, ask, lose, counts } = setUp(1n);
  const { getToken = () => null } = service.handlers;
  await lose("back");
  service.handlers.getToken = async (call) => {
    const told = await getToken(call);
    return { ...(told as object), orderSpent: 0n, orderReserved: 1_000_000n };
  };
  await expect(ask({ maxSpend: 600n })).rejects.toMatchObject({ code: "outcome_unknown" });
  service.handlers.getToken = getToken;
  expect((await ask({ maxSpend: 600n })).response.status).toBe(200);
  expect(counts()[2]).toBe(1);
});

test("a repeat with other limits pays nothing while the call is under way", async () => {
  const { work, ask, counts } = setUp(1n);
  let finish = (_: Response) => {};
  work.mockReturnValue(
    new Promise((resolve) => {
      finish = resolve;
    }),
  );
  const first = ask({ maxSpend: 500n });
  await expect.poll(() => work.mock.calls.length).toBe(1);
  await expect(ask({ maxSpend: 600n })).rejects.toMatchObject({ code: "outcome_unknown" });
  finish(new Response("done"));
  expect((await first).response.status).toBe(200);
  expect((await ask({ maxSpend: 600n })).response.status).toBe(200);
  expect(counts()).toEqual(ONCE);
});

test("an answered call is paid once when it is made again, as after its body broke off, also with other calls in between", async () => {
  const { ask, counts } = setUp(1n);
  for (const key of [KEY, "other-call-000001", KEY]) {
    expect((await ask({ maxSpend: 500n }, key)).response.status).toBe(200);
  }
  expect(counts()).toEqual([2, 2, 2, 0]);
});

test("a call that failed is paid for by another token when it is made again", async () => {
  const { work, ask, counts } = setUp(1n);
  work.mockResolvedValueOnce(new Response("failed", { status: 500 }));
  expect(await ask({ maxSpend: 500n })).toMatchObject({ response: { status: 500 }, order: "made" });
  expect((await ask({})).response.status).toBe(200);
  expect(counts()).toEqual([2, 1, 1, 1]);
});

test("a seller that refuses a token whose order its repeat may not make is paid by another one", async () => {
  const service = createSellingService(1n, () => 0);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const accepts = [{ scheme: "svc:erc4337", network: "eip155:84532", planId: "42", amount: "1" }];
  // As a stock server, it does not say that another token may help.
  const asking = { "payment-required": encodeHeader({ x402Version: 2, accepts }) };
  const sent = new Set<string | null>();
  const fetch = async (request: Request) => {
    const isPaid = request.headers.has("payment-signature");
    const isFirst = isPaid && sent.size === 0;
    if (isPaid) sent.add(request.headers.get("payment-signature"));
    if (isFirst) throw new TypeError("The connection broke off.");
    if (sent.size < 2) return new Response(null, { status: 402, headers: asking });
    return new Response("done");
  };
  const ask = (maxSpend: bigint) => {
    const init = { method: "POST", headers: { "idempotency-key": KEY } };
    return payments.fetch("http://agent.test/ask", init, { fetch, maxSpend });
  };
  await expect(ask(500n)).rejects.toThrow("broke off");
  expect((await ask(600n)).response.status).toBe(200);
  expect(sent.size).toBe(2);
});
