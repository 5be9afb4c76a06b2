import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { createGate } from "../../gate/gate.ts";
import { createMemoryQueue } from "../../gate/queue/memory-queue.ts";
import type { PayingFetchOptions } from "../paid-response.ts";

describe.each(ruleStores())("a lost call that is made again, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** A subscriber with 100 credits, an agent of two replicas, and a call that was lost on its way there or back. */
  async function setUp(way: "there" | "back" = "back") {
    const { builder, subscriber, planId } = await createMarket(service);
    const replica = () =>
      createGate(
        builder.payments,
        { "POST /ask": { planId } },
        { queue: createMemoryQueue(), report: false },
      );
    const gates = [replica(), replica()];
    const { payments } = subscriber;
    let isLosing = true;
    const ask = async (key: string, at = 0, options: PayingFetchOptions = {}) => {
      const fetch = async (request: Request) => {
        const isLost = isLosing && request.headers.has("payment-signature");
        const lose = () => Promise.reject(new TypeError("The connection broke off."));
        if (isLost && way === "there") return lose();
        const gate = gates[at] as ReturnType<typeof replica>;
        const answer = await gate(request, async () => new Response("done"));
        return isLost ? lose() : answer;
      };
      const init = { method: "POST", headers: { "idempotency-key": key } };
      const url = "https://agent.example/ask";
      const { response } = await payments.fetch(url, init, { fetch, ...options });
      return response.status;
    };
    await expect(ask("lost-call-0000001")).rejects.toThrow("The connection broke off.");
    isLosing = false;
    const charged = async () => {
      const holderAddress = subscriber.address;
      const { balance } = await payments.plans.getPlanBalance(planId, holderAddress);
      return 100n - balance;
    };
    const endTokens = async () => {
      const { items } = await payments.tokens.listTokens({ planId });
      for (const { tokenId } of items) await payments.tokens.revokeToken(tokenId);
    };
    return { ask, charged, endTokens };
  }

  describe.each([
    ["the same replica", 0, 200],
    ["another replica", 1, 409],
  ])("at %s", (_, at, status) => {
    test("is not charged again once its token was revoked and other calls have another one", async () => {
      const { ask, charged, endTokens } = await setUp();
      await endTokens();
      expect(await ask("other-call-000001")).toBe(200);
      expect(await ask("lost-call-0000001", at)).toBe(status);
      expect(await charged()).toBe(2n);
    });

    test("is not charged again within other limits", async () => {
      const { ask, charged } = await setUp();
      expect(await ask("lost-call-0000001", at, { maxSpend: 1n })).toBe(status);
      expect(await charged()).toBe(1n);
    });
  });

  test("is paid for by another token where it did not arrive before its own one was revoked", async () => {
    const { ask, charged, endTokens } = await setUp("there");
    await endTokens();
    expect(await ask("lost-call-0000001")).toBe(200);
    expect(await charged()).toBe(1n);
  });
});
