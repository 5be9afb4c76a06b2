import { createServer } from "node:http";
import { afterEach, expect, test, vi } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen, type RunningAgent } from "../../test-support/agents/agent.ts";
import { ask } from "../../test-support/agents/ask.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { createNodeListener } from "../adapters/node.ts";
import { createGate } from "../gate.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";

const agents: RunningAgent[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
});

function setUp() {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const error = vi.fn();
  const options = {
    queue: createMemoryQueue(),
    report: false,
    logger: { error },
    maxBodyBytes: 2000,
  };
  const routes = { "POST /ask": { planId: "42" }, "POST /other": { planId: "42" } };
  const gate = createGate(payments, routes, options);
  const messageOf = async (body: BodyInit, { path = "/ask", isRead = false } = {}) => {
    const headers = { "payment-signature": tokenTextOf("42"), "idempotency-key": "one" };
    const init = { method: "POST", body, headers, duplex: "half" } as RequestInit;
    const request = new Request(`http://agent.test${path}`, init);
    if (isRead) await request.text();
    const refused = await gate(request, () => Response.json({}));
    const { reason, message } = await refused.json();
    expect([refused.status, reason]).toEqual([400, "invalid request id"]);
    return message as string;
  };
  return { parts: [payments, routes, options] as const, messageOf, error, service };
}

const TOO_LONG =
  "The body is longer than 2,000 bytes, the most that a request with an id or a signature may have here. Send a smaller body, or ask the agent’s builder to raise the gate’s `maxBodyBytes`.";

test("a body that is too long for an id is refused with the limit, which is logged once per route", async () => {
  const { messageOf, error, service } = setUp();
  for (const path of ["/ask", "/ask", "/other"])
    expect(await messageOf("x".repeat(2001), { path })).toBe(TOO_LONG);
  const message = "Requests with an id are refused because of their body.";
  expect(error.mock.calls).toEqual([
    [message, { route: "POST /ask", reason: TOO_LONG }],
    [message, { route: "POST /other", reason: TOO_LONG }],
  ]);
  expect(service.called("verify")).toEqual([]);
});

test("a body that was read before the gate is named, and logged", async () => {
  const { messageOf, error } = setUp();
  const message =
    "The body was read before the gate, which can’t tell a request with an id from another one then. The agent’s builder must put the gate before what reads the body.";
  expect(await messageOf("{}", { isRead: true })).toBe(message);
  expect(error).toHaveBeenCalledExactlyOnceWith(expect.any(String), {
    route: "POST /ask",
    reason: message,
  });
});

test("a body that breaks off is the caller's, and not logged", async () => {
  const { messageOf, error } = setUp();
  const broken = new ReadableStream({
    pull: (feed) => feed.error(new Error("broken")),
  });
  expect(await messageOf(broken)).toBe("The body broke off. Send the request again.");
  expect(error).not.toHaveBeenCalled();
});

test("on Node, a body of more than 10 MiB that states no length is too long, not broken", async () => {
  const { parts } = setUp();
  const [payments, routes, options] = parts;
  const listener = createNodeListener(payments, routes, () => {}, options);
  const agent = await listen(createServer(listener));
  agents.push(agent);
  const headers = { "idempotency-key": "one", "transfer-encoding": "chunked" };
  const answer = await ask(agent.origin, "/ask", { headers, body: "x".repeat(11 * 1024 * 1024) });
  expect([answer.status, answer.json().message]).toEqual([400, TOO_LONG]);
});
