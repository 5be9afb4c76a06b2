import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createBudgetMarket } from "@/lib/domain/budgets/testing/budget-market.ts";
import {
  createTestService,
  TEST_ORIGIN,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { call } from "../cli/call.ts";
import { createGate } from "../gate/gate.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { callPaidTool } from "../mcp/call-paid-tool.ts";
import { withPayment } from "../mcp/with-payment.ts";
import type { PaymentOptions } from "./connection.ts";
import type { PayingFetchOptions } from "./paid-response.ts";
import { Payments } from "./payments.ts";

const [store] = ruleStores();
/** Why a call waits: it takes many credits, which the account has, or it has to order the plan. */
const KINDS: [string, object, PayingFetchOptions][] = [
  ["takes credits", { aboveCredits: 9n }, {}],
  ["orders the plan", { above: 50n }, { maxSpend: 100n }],
];
const quiet = () => ({ queue: createMemoryQueue(), report: false });

describe("the token of a call that waits for a person", () => {
  let database: Database;
  let service: TestService;

  beforeAll(async () => {
    database = await (store as { open: () => Promise<Database> }).open();
    service = createTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** An agent whose plan costs 1.00 for the ten credits of one call, and a buyer with a rule for approvals. */
  async function setUp(rule: object, options: Partial<PaymentOptions> = {}) {
    const { builder, subscriber, planId } = (await createBudgetMarket(service)).market;
    const { plans, budgets, tokens, holdings } = subscriber.payments;
    if ("aboveCredits" in rule) await plans.orderPlan(planId);
    await budgets.setBudgets({ approval: { minutes: 60, ...rule } });
    const { apiKey } = subscriber;
    const connected = { apiKey, baseUrl: TEST_ORIGIN, fetch: service.fetch };
    const payments = Payments.getInstance({ ...connected, ...options });
    const gate = createGate(builder.payments, { "POST /ask": { planId, credits: 10n } }, quiet());
    const agent = (request: Request) => gate(request, async () => new Response("done"));
    const ask = async (options: PayingFetchOptions = {}, signal?: AbortSignal) => {
      const { response } = await payments.fetch(
        "https://agent.example/ask",
        { method: "POST", ...(signal && { signal }) },
        { fetch: agent, ...options },
      );
      return response.status === 402 ? (await response.json()).cause : response.status;
    };
    const tokensBefore = (await tokens.listTokens({ planId })).items.length;
    /** How often a person was asked, and how many tokens were minted. */
    const counts = async () => ({
      approvals: (await budgets.listApprovals()).items.length,
      tokens: (await tokens.listTokens({ planId })).items.length - tokensBefore,
    });
    const waiting = () =>
      vi.waitFor(async () => {
        const { items } = await budgets.listApprovals({ status: "pending" });
        if (!items[0]) throw new Error("No request waits.");
        return items[0].approvalId;
      }, 10_000);
    const approve = async () => budgets.approveRequest(await waiting());
    const decline = async () => budgets.declineRequest(await waiting());
    const orders = async () => (await holdings.listOrders()).items.length;
    return { ask, agent, counts, approve, decline, orders, payments, builder, planId };
  }

  test.each(KINDS)(
    "is kept where it %s, and pays the next call once it is approved",
    async (_, rule, options) => {
      const { ask, counts, approve } = await setUp(rule);
      expect(await ask(options)).toBe("pending_approval");
      expect(await ask(options)).toBe("pending_approval");
      expect(await counts()).toEqual({ approvals: 1, tokens: 1 });
      await approve();
      expect(await ask(options)).toBe(200);
      expect(await counts()).toEqual({ approvals: 1, tokens: 1 });
    },
  );

  test.each(KINDS)(
    "is kept where it %s and was declined, and asks again once the decline expires",
    async (_, rule, options) => {
      const { ask, counts, approve, decline } = await setUp({ ...rule, minutes: 1 });
      const asked = ask({ ...options, approvalTimeoutMs: 60_000 });
      await decline();
      expect(await asked).toBe("pending_approval");
      for (let round = 0; round < 2; round++) expect(await ask(options)).toBe("approval_declined");
      expect(await counts()).toEqual({ approvals: 1, tokens: 1 });
      await service.ports.clock.advance(61);
      expect(await ask(options)).toBe("pending_approval");
      expect(await counts()).toEqual({ approvals: 2, tokens: 1 });
      await approve();
      expect(await ask(options)).toBe(200);
    },
  );

  test("ends with a command, which says how to wait and pays once the decision is there", async () => {
    const { agent, approve, payments, planId } = await setUp({ aboveCredits: 9n });
    const context = {
      payments: () => payments,
      read: async () => null,
      reach: agent,
      isKept: false,
    };
    const input = { url: "https://agent.example/ask", method: "POST", planId };
    const refused = await call.run(context, input);
    expect(refused).toMatchObject({ isRefused: true, json: { status: 402 } });
    expect(refused.text).toContain("Call again with --approval-secs to wait for the decision.");
    const waits = call.run(context, { ...input, approvalSecs: 60 });
    await approve();
    expect(await waits).toMatchObject({ isRefused: false, json: { status: 200, body: "done" } });
    await expect(call.run(context, { ...input, approvalSecs: 3_601 })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  test("pays within the day's limit once its order is approved, also after the agent was down", async () => {
    const { ask, agent, counts, approve, orders } = await setUp(
      { above: 50n },
      { maxSpend: { perDay: 100n } },
    );
    const options = { maxSpend: 100n };
    expect(await ask(options)).toBe("pending_approval");
    const down = async (request: Request) =>
      request.headers.has("payment-signature")
        ? new Response(null, { status: 503 })
        : agent(request);
    expect(await ask({ ...options, fetch: down })).toBe(503);
    await approve();
    expect(await ask(options)).toBe(200);
    expect(await counts()).toEqual({ approvals: 1, tokens: 1 });
    expect(await orders()).toBe(1);
  });

  test.each(KINDS)(
    "is kept where it %s and the caller stops waiting, for as long as a person takes",
    async (_, rule, options) => {
      const { ask, counts, approve } = await setUp(rule);
      const caller = new AbortController();
      const asked = ask({ ...options, approvalTimeoutMs: 60_000 }, caller.signal);
      await vi.waitFor(async () => expect((await counts()).approvals).toBe(1), 10_000);
      caller.abort(new Error("gone"));
      await expect(asked).rejects.toThrow("gone");
      await approve();
      const later = performance.now() + 20 * 60_000;
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 20 * 60_000 });
      const clock = vi.spyOn(performance, "now").mockReturnValue(later);
      try {
        expect(await ask(options)).toBe(200);
        expect(await counts()).toEqual({ approvals: 1, tokens: 1 });
      } finally {
        clock.mockRestore();
        vi.useRealTimers();
      }
    },
  );

  test("is kept for a paid tool, whose call waits and is paid once it is approved", async () => {
    const { payments, builder, planId, counts, approve } = await setUp({ aboveCredits: 9n });
    const tool = withPayment(
      builder.payments,
      { server: "reader", tool: "count", planId, credits: 10n },
      async () => ({ content: [{ type: "text", text: "done" }] }),
      quiet(),
    );
    const client = {
      callTool: ({ _meta }: { _meta?: Record<string, unknown> }) =>
        tool({ ...(_meta && { _meta }) }),
    };
    const call = (options: object = {}) =>
      callPaidTool(payments, client, { name: "count" }, options);
    expect((await call()).declined).toContain("refused the token");
    expect(await counts()).toEqual({ approvals: 1, tokens: 1 });
    const called = call({ approvalTimeoutMs: 60_000 });
    await approve();
    expect((await called).receipt).toMatchObject({ success: true });
    expect(await counts()).toEqual({ approvals: 1, tokens: 1 });
  });
});
