import { describe, expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import { decodeHeader } from "../protocol/x402-headers.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  refusedSettlement,
  tokenTextOf,
} from "../test-support/fake-service.ts";
import { createGate } from "./gate.ts";
import type { GateOptions } from "./gate-options.ts";
import { createMemoryQueue } from "./queue/memory-queue.ts";
import type { RouteConfig } from "./routes.ts";

function setUp(options: GateOptions = {}, config: Partial<RouteConfig> = {}) {
  const service = createFakeService();
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    fetch: service.fetch,
    maxRetries: 0,
  });
  const gate = createGate(
    payments,
    { "POST /ask": { planId: "42", ...config } },
    { logger: { error: () => {} }, queue: createMemoryQueue(), ...options },
  );
  const ask = (work: () => Response) =>
    gate(
      new Request("http://agent.test/ask", {
        method: "POST",
        headers: { "payment-signature": tokenTextOf("42") },
      }),
      work,
    );
  return { service, ask };
}

const EVENTS = { "content-type": "text/event-stream; charset=utf-8" };
const encode = (text: string) => new TextEncoder().encode(text);

/** A stream the test feeds by hand. */
function handFed() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const state = { cancelled: false };
  const stream = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: () => {
      state.cancelled = true;
    },
  });
  return { stream, state, feed: controller as ReadableStreamDefaultController<Uint8Array> };
}

describe("a streaming answer", () => {
  test("flows before anything is settled, and ends with the receipt as an event", async () => {
    const { service, ask } = setUp();
    const { stream, feed } = handFed();
    const response = await ask(() => new Response(stream, { headers: EVENTS }));
    const id = response.headers.get("payment-request-id");
    expect(id).toBe(service.called("verify")[0]?.body.agentRequestId);
    expect(response.headers.has("payment-response")).toBe(false);
    expect(response.headers.get("x-accel-buffering")).toBe("no");

    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    feed.enqueue(encode("data: 1\n\n"));
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("data: 1\n\n");
    expect(service.called("settle")).toEqual([]);

    feed.close();
    const last = new TextDecoder().decode((await reader.read()).value);
    const [, json] = /^event: payment-response\ndata: (.*)\n\n$/.exec(last) ?? [];
    expect(JSON.parse(json ?? "")).toMatchObject({ success: true, agentRequestId: id });
    expect((await reader.read()).done).toBe(true);
    expect(service.called("settle")).toHaveLength(1);
  });

  test("that is cancelled after the first bytes is charged: they were delivered", async () => {
    const { service, ask } = setUp();
    const { stream, feed, state } = handFed();
    const response = await ask(() => new Response(stream, { headers: EVENTS }));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    feed.enqueue(encode("data: 1\n\n"));
    await reader.read();
    await reader.cancel();
    expect(state.cancelled).toBe(true);
    expect(service.called("settle")).toHaveLength(1);
    expect(service.called("release")).toEqual([]);
  });

  test("that is cancelled before any byte is not charged", async () => {
    const { service, ask } = setUp();
    const { stream } = handFed();
    const response = await ask(() => new Response(stream, { headers: EVENTS }));
    await response.body?.cancel();
    expect(service.called("settle")).toEqual([]);
    expect(service.called("release")).toHaveLength(1);
  });

  test("T18: whose work goes on elsewhere (`content-location`) is charged unread too, as its result can be read there", async () => {
    const { service, ask } = setUp();
    const { stream } = handFed();
    const headers = { ...EVENTS, "content-location": "/threads/t1/runs/r1" };
    const left = await ask(() => new Response(stream, { headers }));
    await left.body?.cancel();
    expect([service.called("settle").length, service.called("release").length]).toEqual([1, 0]);
    const failed = await ask(() => new Response("event: error\n\n", { headers }));
    await failed.text();
    expect([service.called("settle").length, service.called("release").length]).toEqual([1, 1]);
  });

  test("that is cancelled with unread bytes is not charged", async () => {
    const { service, ask } = setUp();
    const { stream, feed } = handFed();
    const response = await ask(() => new Response(stream, { headers: EVENTS }));
    feed.enqueue(encode("data: 1\n\n"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await response.body?.cancel();
    expect(service.called("settle")).toEqual([]);
    expect(service.called("release")).toHaveLength(1);
  });

  test.each([
    ["before any byte gives the hold back", 0, 1, 0],
    ["after some bytes is charged", 1, 0, 1],
  ])("that breaks %s", async (_what, chunks, released, settled) => {
    const { service, ask } = setUp();
    const { stream, feed } = handFed();
    const response = await ask(() => new Response(stream, { headers: EVENTS }));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let index = 0; index < chunks; index++) {
      feed.enqueue(encode("data: 1\n\n"));
      await reader.read();
    }
    feed.error(new Error("the agent fell over"));
    await expect(reader.read()).rejects.toThrow("the agent fell over");
    expect(service.called("release")).toHaveLength(released);
    expect(service.called("settle")).toHaveLength(settled);
  });

  test.each([
    ["first event costs nothing", 0, 1, 0],
    ["second event is charged for the first", 1, 0, 1],
  ])(
    "whose check throws at its %s, and holds nothing back",
    async (_what, chunks, released, settled) => {
      const isSuccess = ({ text }: { text: string }) => JSON.parse(text) > 0;
      const { service, ask } = setUp({}, { isSuccess });
      const { stream, feed, state } = handFed();
      const response = await ask(() => new Response(stream, { headers: EVENTS }));
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      for (let index = 0; index < chunks; index++) {
        feed.enqueue(encode("data: 1\n\n"));
        await reader.read();
      }
      feed.enqueue(encode("data: [DONE]\n\n"));
      await expect(reader.read()).rejects.toThrow("JSON");
      expect(service.called("release")).toHaveLength(released);
      expect(service.called("settle")).toHaveLength(settled);
      expect(state.cancelled).toBe(true);
    },
  );

  test.each([
    ["no", 1, 0],
    ["maybe", 1, 0],
    ["yes", 0, 1],
  ])(
    "whose check is asynchronous, and answers %s for an event",
    async (text, released, settled) => {
      const check = async (answered: { text: string }) => {
        if (answered.text === "maybe") throw new Error("not known");
        return answered.text !== "no";
      };
      // As untyped code can have it.
      const { service, ask } = setUp({}, { isSuccess: check as never });
      const events = `data: yes\n\ndata: ${text}\n\ndata: yes\n\n`;
      const response = await ask(() => new Response(events, { headers: EVENTS }));
      await response.text();
      expect(service.called("release")).toHaveLength(released);
      expect(service.called("settle")).toHaveLength(settled);
    },
  );

  test.each(["data: [DONE]", "data: [DONE]\n"])(
    "that ends with %j, inside an event, is ended before its receipt",
    async (end) => {
      const { ask } = setUp();
      const response = await ask(() => new Response(end, { headers: EVENTS }));
      const events = (await response.text()).split(/\n{2,}/);
      expect(events).toEqual([
        "data: [DONE]",
        expect.stringMatching(/^event: payment-response\n/),
        "",
      ]);
    },
  );

  test("of a task that its caller cancels is charged for what was delivered", async () => {
    const { service, ask } = setUp();
    const event = (result: object) =>
      `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\n`;
    const cancelled = { statusUpdate: { status: { state: "TASK_STATE_CANCELED" } } };
    const events = event({ artifactUpdate: { artifact: {} } }) + event(cancelled);
    await (await ask(() => new Response(events, { headers: EVENTS }))).text();
    expect([service.called("settle").length, service.called("release").length]).toEqual([1, 0]);
  });

  test("of no type flows once it is seen to be no JSON", async () => {
    const { service, ask } = setUp();
    const { stream, feed } = handFed();
    feed.enqueue(encode("\n"));
    feed.enqueue(encode("One"));
    const response = await ask(() => new Response(stream));
    expect(service.called("settle")).toEqual([]);
    feed.enqueue(encode(" two"));
    feed.close();
    expect(await response.text()).toBe("\nOne two");
    expect(service.called("settle")).toHaveLength(1);
  });

  test("of another type flows with `buffer: false`, without an extra event", async () => {
    const { service, ask } = setUp({ buffer: false });
    const response = await ask(
      () => new Response("a,b\n", { headers: { "content-type": "text/csv" } }),
    );
    expect(service.called("settle")).toEqual([]);
    expect(await response.text()).toBe("a,b\n");
    expect(service.called("settle")).toHaveLength(1);
  });

  test("is held with `buffer: true`, and carries its receipt in the header", async () => {
    const { ask } = setUp({ buffer: true });
    const response = await ask(() => new Response("data: 1\n\n", { headers: EVENTS }));
    expect(decodeHeader(response.headers.get("payment-response") ?? "")).toMatchObject({
      success: true,
    });
    expect(await response.text()).toBe("data: 1\n\n");
  });

  test("under strict is settled before its first byte", async () => {
    const { service, ask } = setUp({ settle: "strict", buffer: false });
    const paid = await ask(() => new Response("data: 1\n\n", { headers: EVENTS }));
    expect(service.called("settle")).toHaveLength(1);
    expect(await paid.text()).toBe("data: 1\n\n");
    service.handlers.settle = () => refusedSettlement();
    const { stream, state } = handFed();
    const refused = await ask(() => new Response(stream, { headers: EVENTS }));
    expect(refused.status).toBe(402);
    expect(state.cancelled).toBe(true);
  });

  test("reports a failed settlement in its last event", async () => {
    const { service, ask } = setUp();
    service.handlers.settle = () => refusedSettlement();
    const response = await ask(() => new Response("data: 1\n\n", { headers: EVENTS }));
    expect(await response.text()).toContain('"success":false');
  });
});

test("a held answer that breaks off is failed work: no charge, and the error propagates", async () => {
  const { service, ask } = setUp();
  const { stream, feed } = handFed();
  const answer = ask(() => new Response(stream));
  feed.error(new Error("the agent fell over"));
  await expect(answer).rejects.toThrow("the agent fell over");
  expect(service.called("settle")).toEqual([]);
  expect(service.called("release")).toHaveLength(1);
});
