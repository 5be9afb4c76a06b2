import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { firstCases, inFull, longTest } from "@/lib/testing/in-full.ts";
import { createGate } from "../../gate/gate.ts";
import { createMemoryQueue } from "../../gate/queue/memory-queue.ts";
import { apiKeyOf, BUILDER, refusal, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { createSellingService } from "../../test-support/selling-service.ts";
import { Payments } from "../payments.ts";
import { createCrowds } from "./crowd.ts";

/** Numbers from 0 to 1 that are the same in each run. */
function createRandom(seed: number) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** A plan that grants so many credits behind an honest gate, and what a buyer's calls are answered. */
function sell(granted: bigint, seed = 1) {
  const random = createRandom(seed);
  const service = createSellingService(granted, () => random() * 4);
  const gate = createGate(
    Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch }),
    { "POST /ask": { planId: "42" } },
    { queue: createMemoryQueue(), report: false, logger: { error: () => {} } },
  );
  const buyer = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const honest = (request: Request) => gate(request, async () => new Response("done"));
  const call = async (fetch = honest) => {
    const limits = { fetch, maxSpend: 500n };
    const url = "https://agent.example/ask";
    return (await buyer.fetch(url, { method: "POST" }, limits)).response.status;
  };
  /** The statuses of so many calls by eight workers. */
  const callAtOnce = async (calls: number, fetch = honest) => {
    const statuses: number[] = [];
    let left = calls;
    const work = async () => {
      while (left-- > 0) statuses.push(await call(fetch));
    };
    await Promise.all(Array.from({ length: 8 }, work));
    return statuses;
  };
  return { service, random, honest, call, callAtOnce };
}

test.each([
  [1n, inFull(240, 24)],
  [3n, inFull(1_200, 30)],
])(
  "an honest gate of a plan with %i credits refuses none of %i calls",
  async (granted, calls) => {
    const { service, callAtOnce } = sell(granted);
    const statuses = await callAtOnce(calls);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(service.orders()).toBe(calls / Number(granted));
  },
  60_000,
);

test("a long call and tokens that could not be minted beside it cost later calls nothing", async () => {
  const { service, honest, call } = sell(3n);
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const long = call(async (request) => {
    const response = await honest(request);
    if (request.headers.has("payment-signature")) await ended;
    return response;
  });
  while (service.called("settle").length === 0) await setTimeout(1);
  for (let use = 0; use < 2; use++) expect(await call()).toBe(200);
  const { mint } = service.handlers;
  service.handlers.mint = () => refusal(422, "invalid_input");
  for (let failed = 0; failed < 3; failed++)
    await expect(call()).rejects.toMatchObject({ code: "invalid_input" });
  if (mint) service.handlers.mint = mint;
  for (let use = 0; use < 9; use++) expect(await call()).toBe(200);
  end();
  expect(await long).toBe(200);
});

const refuse = () =>
  Response.json({ code: "insufficient_balance", retryable: true }, { status: 402 });

const CALLS = inFull(40, 16);

/** A seller that charges each call, and then refuses those that it chooses. */
function lyingSeller(shop: ReturnType<typeof sell>, isRefused: () => boolean) {
  return async (request: Request) => {
    const response = await shop.honest(request);
    await setTimeout(shop.random() * 20);
    return request.headers.has("payment-signature") && isRefused() ? refuse() : response;
  };
}

test.each(
  firstCases(2, [
    [1n, 1],
    [3n, 1],
    [1n, 0.5],
    [3n, 0.5],
    [1n, 0.1],
  ]),
)(
  "a seller of %i credits an order gets at most one for each call, also if it charges all and refuses a share of %d",
  async (granted, share) => {
    for (const seed of inFull([1, 2], [1])) {
      const shop = sell(granted, seed);
      const statuses = await shop.callAtOnce(
        CALLS,
        lyingSeller(shop, () => shop.random() < share),
      );
      expect(statuses).toHaveLength(CALLS);
      expect(shop.service.orders()).toBeLessThanOrEqual(CALLS);
    }
  },
  60_000,
);

test("a seller that holds one call back while it answers others gets two orders more for it", async () => {
  const shop = sell(3n);
  let isHeld = false;
  const lying = async (request: Request) => {
    const response = await shop.honest(request);
    if (!request.headers.has("payment-signature")) return response;
    if (!isHeld) {
      isHeld = true;
      for (let other = 0; other < 30; other++) expect(await shop.call()).toBe(200);
    }
    return refuse();
  };
  expect(await shop.call(lying)).toBe(402);
  // Ten for the others.
  expect(shop.service.orders()).toBeLessThanOrEqual(12);
});

test("a seller that refuses every token at once is soon given up", async () => {
  const { service, honest, callAtOnce } = sell(3n);
  const statuses = await callAtOnce(8, (request) =>
    request.headers.has("payment-signature") ? Promise.resolve(refuse()) : honest(request),
  );
  expect(statuses).toEqual(Array(8).fill(402));
  expect(service.minted()).toBeLessThanOrEqual(16);
  expect(service.orders()).toBe(0);
});

longTest(
  "a call that is always refused is given up while others of its kind are served",
  async () => {
    const shop = sell(3n);
    let tried = 0;
    let isOver = false;
    const refused = shop
      .call(async (request) => {
        if (!request.headers.has("payment-signature")) return shop.honest(request);
        tried += 1;
        return refuse();
      })
      .finally(() => {
        isOver = true;
      });
    const work = async () => {
      while (!isOver && tried <= 100) expect(await shop.call()).toBe(200);
    };
    await Promise.all(Array.from({ length: 7 }, work));
    expect(await refused).toBe(402);
    expect(tried).toBe(100);
  },
);

test("a call without room waits ten seconds for a longer one, and no more", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  try {
    const crowds = createCrowds();
    crowds.enter("kind").count();
    const crowd = crowds.enter("kind");
    crowd.count();
    const hasRoom = crowd.hasRoom(() => false, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(9_900);
    expect(await Promise.race([hasRoom, "waits"])).toBe("waits");
    await vi.advanceTimersByTimeAsync(200);
    expect(await hasRoom).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});
