import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import fastify from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen } from "../../test-support/agents/agent.ts";
import { ask, receiptIn } from "../../test-support/agents/ask.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  refusal,
  settlementOf,
} from "../../test-support/fake-service.ts";
import type { GateOptions } from "../gate-options.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { createFastifyHook } from "./fastify.ts";
import { createNodeListener } from "./node.ts";

const EVENTS = "text/event-stream";
let close = async () => {};
afterEach(() => close());

function setUp(options: GateOptions = {}) {
  const service = createFakeService();
  service.handlers.settle = (call) =>
    options.settle === "strict" ? refusal(422, "invalid_input") : settlementOf(call.body);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  return [
    payments,
    { "POST /ask": { planId: "42" } },
    { queue: createMemoryQueue(), report: false, logger: { error: () => {} }, ...options },
  ] as const;
}

/** Agents whose answer of this type ends with the trailer `x-words: 3`. */
const AGENTS: Record<string, (type: string) => Promise<string>> = {
  async "Fastify 5"(type) {
    const app = fastify();
    app.addHook("onRequest", createFastifyHook(...setUp()));
    app.post("/ask", (_request, reply) =>
      reply
        .type(type)
        .trailer("x-words", (_reply, _payload, done) => done(null, "3"))
        .send(type === EVENTS ? Readable.from(["data: 1\n\n", "data: 2\n\n"]) : "one two three"),
    );
    close = () => app.close();
    return app.listen({ port: 0, host: "127.0.0.1" });
  },
  async "Node http"(type) {
    const [payments, routes, options] = setUp();
    const work = (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { "content-type": type, trailer: "x-words" });
      response.write("data: 1\n\n");
      response.addTrailers({ "x-words": "3" });
      response.end("data: 2\n\n");
    };
    const agent = await listen(createServer(createNodeListener(payments, routes, work, options)));
    ({ close } = agent);
    return agent.origin;
  },
};

test.each<[string, GateOptions, number, () => void]>([
  ["whose payment fails", { settle: "strict" }, 402, () => {}],
  [
    "that fails",
    {},
    500,
    () => {
      throw new Error("The work fails.");
    },
  ],
])("trailers of work %s stay with its answer", async (_, options, expected, finish) => {
  const [payments, routes, given] = setUp(options);
  const work = (_request: IncomingMessage, response: ServerResponse) => {
    response.addTrailers({ "x-answer": "the paid result" });
    finish();
    response.end("the paid result");
  };
  const agent = await listen(createServer(createNodeListener(payments, routes, work, given)));
  ({ close } = agent);
  const { status, text, trailers } = await ask(agent.origin, "/ask");
  expect([status, trailers]).toEqual([expected, {}]);
  expect(text).not.toContain("the paid result");
});

describe.each(Object.entries(AGENTS))("behind %s", (_, start) => {
  test.each(["text/plain", EVENTS])("trailers of the work's %s reach the client", async (type) => {
    const { status, headers, trailers } = await ask(await start(type), "/ask");
    expect(status).toBe(200);
    expect(headers.trailer).toContain("x-words");
    expect(trailers["x-words"]).toBe("3");
    const receipt = receiptIn(headers["payment-response"] ?? trailers["payment-response"]);
    expect(receipt).toMatchObject({ success: true });
  });
});
