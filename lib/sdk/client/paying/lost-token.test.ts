import type { AccessToken } from "@turnpike/payments/protocol";
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
import { callPaidTool } from "../../mcp/call-paid-tool.ts";
import { MCP_PAYMENT, type ToolResult } from "../../mcp/tool-result.ts";
import { type ToolExtra, withPayment } from "../../mcp/with-payment.ts";
import { apiKeyOf, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { createSellingService } from "../../test-support/selling-service.ts";
import type { PayingFetchOptions } from "../paid-response.ts";
import { Payments } from "../payments.ts";

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

  test("sends no token of one seller to another of the same name, who is paid under another key", async () => {
    const one = await createMarket(service);
    const two = await createMarket(service);
    const { payments } = one.subscriber;
    await payments.plans.orderPlan(two.planId);
    const sent: [string, string][] = [];
    let isLosing = true;
    const sellingBy = ({ builder, planId }: typeof one) => {
      const tool = withPayment<[object, ToolExtra], ToolResult>(
        builder.payments,
        { server: "translator", tool: "translate", planId },
        () => ({ content: [] }),
        { queue: createMemoryQueue(), report: false },
      );
      const client = {
        async callTool({ _meta }: { _meta?: Record<string, never> }) {
          const token = _meta?.[MCP_PAYMENT] as AccessToken | undefined;
          const answer = await tool({}, { ...(_meta && { _meta }) } as ToolExtra);
          if (!token) return answer;
          sent.push([planId, token.payload.authorization.planId]);
          if (planId === one.planId && isLosing) throw new TypeError("The connection broke off.");
          return answer;
        },
      };
      return (idempotencyKey: string) =>
        callPaidTool(payments, client as never, { name: "translate" }, { idempotencyKey });
    };
    const [askOne, askTwo] = [sellingBy(one), sellingBy(two)];
    const key = "one-task-of-two-sellers";
    await expect(askOne(key)).rejects.toThrow("The connection broke off.");
    isLosing = false;
    await expect(askTwo(key)).rejects.toMatchObject({
      code: "outcome_unknown",
      hint: expect.stringContaining("Another call needs another key."),
    });
    for (const answer of [askTwo("another-task"), askOne(key)]) {
      expect((await answer).receipt).toMatchObject({ success: true });
    }
    expect(sent.every(([seller, plan]) => seller === plan)).toBe(true);
    for (const { planId } of [one, two]) {
      const { balance } = await payments.plans.getPlanBalance(planId, one.subscriber.address);
      expect(balance).toBe(99n);
    }
  });
});

test("a repeat within other limits orders nothing that they do not allow", async () => {
  const service = createSellingService(1n, () => 0);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const gate = createGate(
    payments,
    { "POST /ask": { planId: "42" } },
    { queue: createMemoryQueue(), report: false },
  );
  let isLosing = true;
  const reach = async (request: Request) => {
    const isPaid = request.headers.has("payment-signature");
    if (isPaid && isLosing) throw new TypeError("The connection broke off.");
    return gate(request, async () => new Response("done"));
  };
  const ask = (key: string, options: PayingFetchOptions) =>
    payments.fetch(
      "http://agent.test/ask",
      { method: "POST", headers: { "idempotency-key": key } },
      { fetch: reach, ...options },
    );
  await expect(ask("lost-call-0000001", { maxSpend: 500n })).rejects.toThrow("broke off");
  isLosing = false;
  for (const key of ["lost-call-0000001", "other-call-000001"]) {
    for (const options of [{ maxSpend: 1n }, {}]) {
      await expect(ask(key, options)).rejects.toMatchObject({ code: "spending_not_allowed" });
    }
  }
  expect(service.orders()).toBe(0);
  expect((await ask("lost-call-0000001", { maxSpend: 500n })).response.status).toBe(200);
  expect(service.orders()).toBe(1);
});
