import { expect, test, vi } from "vitest";
import { Payments } from "../../client/payments.ts";
import { apiKeyOf, BUILDER, createFakeService } from "../../test-support/fake-service.ts";
import { createNextHandler } from "./next.ts";

test("a handler that no route key matches runs without payment, and the log says so once", async () => {
  const error = vi.fn();
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const handle = createNextHandler(
    payments,
    { "POST /base/ask": { planId: "42" } },
    async () => new Response("done"),
    { logger: { error }, report: false },
  );
  for (const path of ["/ask", "/ask", "/other"]) {
    const request = new Request(`http://agent.test${path}`, { method: "POST" });
    expect(await (await handle(request, {})).text()).toBe("done");
  }
  expect(error.mock.calls).toEqual([
    [
      "A handler ran without payment: no route key matches.",
      { method: "POST", path: "/ask", reason: expect.stringContaining("`basePath`") },
    ],
  ]);
  const paid = new Request("http://agent.test/base/ask", { method: "POST" });
  expect((await handle(paid, {})).status).toBe(402);
});
