import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Payments } from "../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  refusal,
  settlementOf,
  tokenTextOf,
} from "../test-support/fake-service.ts";
import { createGate } from "./gate.ts";
import { createMemoryQueue } from "./queue/memory-queue.ts";

const MINUTE_MS = 60_000;

describe.each(["before", "strict"] as const)("a settlement without an outcome (%s)", (settle) => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ["Date", "setTimeout"],
      shouldAdvanceTime: true,
      advanceTimeDelta: 500,
    });
  });
  afterEach(() => void vi.useRealTimers());

  test.each([
    ["forward", MINUTE_MS],
    ["back", -60 * MINUTE_MS],
  ])("is asked for again while the clock is set %s", async (_, jumpMs) => {
    const service = createFakeService();
    service.handlers.settle = ({ body }) => {
      if (service.called("settle").length > 1) return settlementOf(body);
      vi.setSystemTime(Date.now() + jumpMs);
      return refusal(503, "unavailable");
    };
    const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
    const options = { queue: createMemoryQueue(), report: false, settle };
    const gate = createGate(payments, { "POST /ask": { planId: "42" } }, options);
    const work = vi.fn(() => new Response("done"));
    const headers = { "payment-signature": tokenTextOf("42") };
    const request = new Request("http://agent.test/ask", { method: "POST", headers });
    const response = await gate(request, work);
    expect([response.status, service.called("settle").length]).toEqual([200, 2]);
    expect(work).toHaveBeenCalledTimes(1);
  });
});
