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
  await vi.waitFor(() => expect(error).toHaveBeenCalled());
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
