import { expect, test, vi } from "vitest";
import { Payments } from "../../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  planOf,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { createGate } from "../gate.ts";
import type { GateOptions } from "../gate-options.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import type { Credits } from "../routes.ts";

/** A gate whose route offers these plans; those in `archived` are. */
function setUp(planIds: string[], archived: string[], more: GateOptions = {}) {
  const plans = planIds.map((planId) => ({
    ...planOf(planId),
    ...(archived.includes(planId) && { archivedAt: "2026-01-01T00:00:00Z" }),
  }));
  const { fetch } = createFakeService(plans);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch });
  const error = vi.fn();
  const options = { queue: createMemoryQueue(), report: false, logger: { error }, ...more };
  const gate = createGate(payments, { "POST /ask": { planId: planIds } }, options);
  const ask = async (token?: string) => {
    const headers: Record<string, string> = token ? { "payment-signature": token } : {};
    const request = new Request("http://agent.test/ask", { method: "POST", headers });
    return (await gate(request, () => new Response("hello"))).status;
  };
  return { ask, error };
}

test.each([
  ["without leases", {}],
  ["with leases", { lease: { credits: 10, seconds: 10 } }],
])("a route that offers only archived plans says so once, %s", async (_what, options) => {
  const { ask, error } = setUp(["42", "43"], ["42", "43"], options);
  expect([await ask(), await ask(), await ask(tokenTextOf("42"))]).toEqual([402, 402, 200]);
  await vi.waitFor(() => expect(error).toHaveBeenCalled(), { timeout: 10_000 });
  expect(error.mock.calls).toEqual([
    [
      "A route offers only archived plans, which can’t be ordered.",
      {
        route: "POST /ask",
        planIds: ["42", "43"],
        reason: "Only callers that have credits of them can pay. Restore a plan, or offer another.",
      },
    ],
  ]);
});

test("a route that also offers a plan that can be ordered keeps quiet", async () => {
  const { ask, error } = setUp(["42", "43"], ["42"]);
  expect(await ask()).toBe(402);
  await new Promise((wake) => setTimeout(wake, 20));
  expect(error).not.toHaveBeenCalled();
});

test("a route by price says so of the plan behind it", async () => {
  const { fetch, handlers } = createFakeService();
  handlers.unknown = () => ({ ...planOf("44"), archivedAt: "2026-01-01T00:00:00Z" });
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch });
  const logger = { error: vi.fn() };
  const options = { queue: createMemoryQueue(), report: false, logger };
  const gate = createGate(payments, { "POST /ask": { price: "$0.01" } }, options);
  const request = new Request("http://agent.test/ask", { method: "POST" });
  expect((await gate(request, () => new Response("hello"))).status).toBe(402);
  const fields = expect.objectContaining({ route: "POST /ask", planIds: ["44"] });
  const said = ["A route offers only archived plans, which can’t be ordered.", fields];
  await vi.waitFor(() => expect(logger.error).toHaveBeenCalledWith(...said), { timeout: 10_000 });
});

/** A gate whose route costs so many credits of a plan that allows one for a call; what it logs of two calls. */
async function callTwice(credits: Credits, planIds: string[], accessLimit?: "time") {
  const plans = planIds.map((planId) => {
    const plan = planOf(planId, { maxAmount: planId === "42" ? 1n : 9n });
    return accessLimit
      ? { ...plan, metadata: { ...plan.metadata, plan: { ...plan.metadata.plan, accessLimit } } }
      : plan;
  });
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    fetch: createFakeService(plans).fetch,
  });
  const error = vi.fn();
  const options = { queue: createMemoryQueue(), report: false, logger: { error } };
  const gate = createGate(payments, { "POST /ask": { planId: planIds, credits } }, options);
  const ask = () =>
    gate(new Request("http://agent.test/ask", { method: "POST" }), () => new Response());
  expect([(await ask()).status, (await ask()).status]).toEqual([402, 402]);
  await new Promise((wake) => setTimeout(wake, 20));
  return error.mock.calls;
}

test.each<[string, Credits]>([
  ["a number", 2],
  ["a function", () => 2],
])(
  "a route that asks for more credits than a plan allows says so once: %s",
  async (_what, credits) => {
    expect(await callTwice(credits, ["42", "43"])).toEqual([
      [
        "A route’s `credits` exceed its plan’s maximum for one call, which is charged instead.",
        {
          route: "POST /ask",
          planId: "42",
          credits: "2",
          charged: "1",
          reason: "Sell a plan that allows more credits for one call, or lower `credits`.",
        },
      ],
    ]);
  },
);

test("a plan of time, which counts no credits, keeps quiet", async () => {
  expect(await callTwice(2, ["42"], "time")).toEqual([]);
});
