import { createServer, type ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen, type RunningAgent } from "../../test-support/agents/agent.ts";
import { ask, until } from "../../test-support/agents/ask.ts";
import { apiKeyOf, BUILDER, createFakeService } from "../../test-support/fake-service.ts";
import type { GateEvent } from "../observe.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { createNodeListener } from "./node.ts";

const agents: RunningAgent[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
});

/** Asks a listener on plain Node that throws; what the gate logs and observes of it. */
async function askThrowing(begin: (response: ServerResponse) => unknown, timeoutMs?: number) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const [logged, events]: [unknown[], GateEvent[]] = [[], []];
  const work = async (_request: unknown, response: ServerResponse) => {
    await begin(response);
    throw new Error("no luck");
  };
  const listener = createNodeListener(payments, { "POST /ask": { planId: "42" } }, work, {
    queue: createMemoryQueue(),
    report: false,
    logger: { error: (message, fields) => logged.push([message, fields?.reason]) },
    observe: (event) => events.push(event),
    ...(timeoutMs && { timeoutMs }),
  });
  const agent = await listen(createServer(listener));
  agents.push(agent);
  const answer = await ask(agent.origin, "/ask").catch(() => null);
  await until(() => events.length > 0 && logged.length > 0);
  // What would be logged twice is logged by now.
  await new Promise((wake) => setTimeout(wake, 20));
  return { answer, logged, events };
}

const LOGGED = [["The work failed.", "Error: no luck"]];
const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));

test("T18: what work throws inside its stream is logged, and the request's reason says that it was cut off", async () => {
  const { answer, logged, events } = await askThrowing(async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
    await pause(50);
  });
  expect([answer, logged]).toEqual([null, LOGGED]);
  expect(events).toMatchObject([{ moneyStatus: "settled", httpStatus: 200, reason: "cut_off" }]);
});

test("what work throws after the end of its answer is logged", async () => {
  const { answer, logged, events } = await askThrowing((response) => response.end("{}"));
  expect([answer?.status, logged]).toEqual([200, LOGGED]);
  expect(events).toMatchObject([{ moneyStatus: "settled", httpStatus: 200 }]);
  expect(events[0]).not.toHaveProperty("reason");
});

test("what work throws inside an answer that the gate holds is logged once", async () => {
  const { answer, logged, events } = await askThrowing((response) => {
    response.writeHead(200, { "content-type": "application/json" }).write("{");
  });
  expect([answer?.status, logged]).toEqual([500, LOGGED]);
  expect(events).toMatchObject([{ moneyStatus: "not-charged", reason: "exception" }]);
});

test("what work throws before its answer is logged once", async () => {
  const { answer, logged } = await askThrowing(() => {});
  expect([answer?.status, logged]).toEqual([500, LOGGED]);
});

test("what work throws after it ran out of time is logged", async () => {
  const { answer, logged } = await askThrowing(() => pause(60), 20);
  expect([answer?.status, logged]).toEqual([504, LOGGED]);
});
