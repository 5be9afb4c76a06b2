import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createGate } from "../gate/gate.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { getFixedCreditsConfig } from "../protocol/plans/credits-builders.ts";
import { getErc20PriceConfig } from "../protocol/plans/price-builders.ts";
import type { PaymentOptions } from "./connection.ts";
import { Payments } from "./payments.ts";
import { createSpendStore, type SpendStore } from "./spending/spend-store.ts";

const [store] = ruleStores();
const ORIGIN = "https://agent.example";
const PRICE_CENTS = 300n;
/** Three orders, and not four. */
const CAP_CENTS = 1_000n;
const WITHIN_CAP = 3;

/** A store as a database would be: it outlives its processes and takes its time. */
function createDurableStore(): SpendStore {
  const kept = createSpendStore();
  let last: Promise<unknown> = Promise.resolve();
  const next = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  return {
    add: (counters, cents) => next(() => kept.add(counters, cents)),
    subtract: (keys, cents) => next(() => kept.subtract(keys, cents)),
  };
}

describe("the four events of a spending cap:", () => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await (store as { open: () => Promise<Database> }).open();
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** One seller's agent, whose every call needs an order, and a buyer with any number of processes. */
  async function setUp() {
    service = createTestService(database);
    const [builder, buyer] = await Promise.all([service.party(), service.party()]);
    const [usdc = ""] = service.ports.stableTokens.keys();
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Once" },
      getErc20PriceConfig(
        PRICE_CENTS * 10_000n,
        usdc,
        "0x000000000000000000000000000000000000dEaD",
      ),
      getFixedCreditsConfig(1n),
    );
    const gate = createGate(
      builder.payments,
      { "POST /ask": { planId } },
      { queue: createMemoryQueue(), report: false },
    );
    const agent = (request: Request) => gate(request, async () => new Response("done"));
    const start = (options: Partial<PaymentOptions>) => {
      const payments = Payments.getInstance({
        apiKey: buyer.apiKey,
        baseUrl: TEST_ORIGIN,
        fetch: service.fetch,
        ...options,
      });
      const buy = (fetch: (request: Request) => Promise<Response> = agent) =>
        payments
          .fetch(`${ORIGIN}/ask`, { method: "POST" }, { fetch, maxSpend: PRICE_CENTS })
          .then(({ response }) => response.status === 200)
          .catch((error: { code?: string }) => {
            if (error.code === "spending_not_allowed") return false;
            throw error;
          });
      return { buy };
    };
    const orders = async () => (await buyer.payments.holdings.listOrders()).items.length;
    return { agent, start, orders };
  }

  /** What is limited, and where it is counted: by the service, or in a store that processes share. */
  const caps = (): [string, () => Partial<PaymentOptions>][] => {
    const spendStore = createDurableStore();
    return [
      ["by the service", () => ({ maxSpend: { perDay: CAP_CENTS } })],
      ["in a shared store", () => ({ spendStore, maxSpend: { perSeller: CAP_CENTS } })],
    ];
  };

  test.each(caps())(
    "crash: what a killed process may have spent stays counted, %s",
    async (_, capOf) => {
      const { agent, start, orders } = await setUp();
      const dead = start(capOf());
      // It dies after its payment was sent: the agent works, and the answer reaches no one.
      let isPaid = () => {};
      const paid = new Promise<void>((resolve) => {
        isPaid = resolve;
      });
      void dead.buy(async (request) => {
        const isPayment = request.headers.has("payment-signature");
        const response = await agent(request);
        if (!isPayment) return response;
        isPaid();
        return new Promise(() => {});
      });
      await paid;
      const survivor = start(capOf());
      const bought = [];
      for (let round = 0; round < 5; round++) bought.push(await survivor.buy());
      expect(bought.filter(Boolean)).toHaveLength(WITHIN_CAP - 1);
      expect(await orders()).toBe(WITHIN_CAP);
    },
  );

  test.each(caps())(
    "restart: a process that starts anew goes on counting, %s",
    async (_, capOf) => {
      const { start, orders } = await setUp();
      for (let round = 0; round < 6; round++) await start(capOf()).buy();
      expect(await orders()).toBe(WITHIN_CAP);
    },
  );

  test.each(caps())(
    "replicas: eight processes at once stay within one cap, %s",
    async (_, capOf) => {
      const { start, orders } = await setUp();
      const replicas = Array.from({ length: 8 }, () => start(capOf()));
      await Promise.allSettled(replicas.map(({ buy }) => buy()));
      await Promise.allSettled(replicas.map(({ buy }) => buy()));
      expect(await orders()).toBeLessThanOrEqual(WITHIN_CAP);
      for (const { buy } of replicas) await buy();
      expect(await orders()).toBe(WITHIN_CAP);
    },
  );

  test("replicas: a process whose delegation is written late adds no cap", async () => {
    const { agent, start, orders } = await setUp();
    const capped = () => start({ maxSpend: { perDay: PRICE_CENTS } });
    const { tokens } = service.ports;
    const { insert } = tokens;
    let release = () => {};
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isStopped = () => {};
    const stopped = new Promise<void>((resolve) => {
      isStopped = resolve;
    });
    let inserts = 0;
    tokens.insert = async (...args) => {
      inserts += 1;
      if (inserts === 1) {
        isStopped();
        await late;
      }
      return insert(...args);
    };
    const slow = capped().buy();
    await stopped;
    // The second one has its token, and has not paid with it when the first one looks for delegations.
    await capped().buy(async (request) => {
      if (request.headers.has("payment-signature")) {
        release();
        await slow.catch(() => undefined);
      }
      return agent(request);
    });
    expect(await orders()).toBeLessThanOrEqual(1);
  });

  test("shared store: processes with a store between them count together, and a store that fails stops them", async () => {
    const { start, orders } = await setUp();
    const spendStore = createDurableStore();
    const maxSpend = { perDay: 10_000n, perSeller: CAP_CENTS };
    const all = Array.from({ length: 6 }, () => start({ spendStore, maxSpend }));
    await Promise.all(all.map(({ buy }) => buy()));
    // At the cap, requests of the same moment may refuse each other; what they gave back can be spent afterwards.
    expect(await orders()).toBeLessThanOrEqual(WITHIN_CAP);
    for (const { buy } of all) await buy();
    expect(await orders()).toBe(WITHIN_CAP);
    const broken: SpendStore = {
      ...spendStore,
      add: () => Promise.reject(new Error("store down")),
    };
    await expect(start({ spendStore: broken, maxSpend }).buy()).rejects.toThrow("store down");
    expect(await orders()).toBe(WITHIN_CAP);
  });
});
