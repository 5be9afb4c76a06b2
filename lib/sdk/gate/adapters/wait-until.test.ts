import { Hono } from "hono";
import { expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { createGate } from "../gate.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { PaymentMiddleware } from "./hono.ts";

const work = () => {
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("data: part\n\n")),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

test.each(["Hono", "createGate"])(
  "%s: the platform waits for the charge of a stream whose client leaves",
  async (name) => {
    const service = createFakeService();
    const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
    const given = [
      { "POST /ask": { planId: "42" } },
      { queue: createMemoryQueue(), report: false },
    ];
    const [routes, options] = given as [Record<string, { planId: string }>, object];
    const headers = { "payment-signature": tokenTextOf("42") };
    const request = new Request("https://a.test/ask", { method: "POST", headers });
    const waited: Promise<unknown>[] = [];
    const context = {
      waitUntil: (end: Promise<unknown>) => void waited.push(end),
      passThroughOnException() {},
      props: {},
    };
    const app = new Hono();
    app.use(PaymentMiddleware(payments, routes, options)).post("/ask", work);
    const response = await (name === "Hono"
      ? app.fetch(request, {}, context)
      : createGate(payments, routes, options)(request, work, context));
    const reader = response.body?.getReader();
    await reader?.read();
    expect(waited).toHaveLength(1);
    void reader?.cancel();
    await Promise.all(waited);
    expect(service.called("settle")).toHaveLength(1);
  },
);
