import { createServer } from "node:http";
import express from "express";
import { afterEach, describe, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen } from "../../test-support/agents/agent.ts";
import { ADAPTERS, type Stage, setStage } from "../../test-support/agents/all-agents.ts";
import { ask } from "../../test-support/agents/ask.ts";
import { apiKeyOf, BUILDER, createFakeService } from "../../test-support/fake-service.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { createExpressMiddleware } from "./express.ts";

let stage: Stage | undefined;
afterEach(() => stage?.close());

const failing = () => {
  throw new Error("the agent fell over");
};
/** As the AI SDK does where a model limits it. */
const limited = () => {
  const error = new Error("Rate limit reached");
  throw Object.assign(error, { name: "AI_APICallError", statusCode: 429 });
};
/** Begins a body that the gate holds, and then throws. */
const breakingOff = () => ({
  headers: { "content-type": "application/json" },
  body: (async function* () {
    yield '{"words":';
    failing();
  })(),
});

describe.each(Object.keys(ADAPTERS))("behind %s", (adapter) => {
  test.each([
    ["throws", failing],
    ["breaks off", breakingOff],
    ["throws the status of another service", limited],
  ])(
    "the answer to work that %s has the receipt of what was paid before it",
    async (_how, work) => {
      stage = await setStage(adapter, {}, { settle: "before" });
      stage.work = work;
      const answer = await ask(stage.origin, "/ask");
      expect(answer.status).toBe(500);
      expect(answer.receipt()).toMatchObject({ success: true, outcome: "failed" });
      expect(answer.headers["payment-request-id"]).toBe(answer.receipt()?.agentRequestId);
      expect(answer.headers["cache-control"]).toContain("no-store");
      expect([stage.settled(), stage.released()]).toEqual([1, 0]);
    },
  );

  test("the answer to work that throws has no receipt where it is not charged", async () => {
    stage = await setStage(adapter);
    stage.work = failing;
    const answer = await ask(stage.origin, "/ask");
    expect([answer.status, answer.headers["payment-response"]]).toEqual([500, undefined]);
    expect([stage.settled(), stage.released()]).toEqual([0, 1]);
  });
});

describe("behind Express with its own error handler", () => {
  /** Asks twice under one key, for work that is paid and then passes an error on. */
  async function askTwice(begin: (response: express.Response) => unknown) {
    const service = createFakeService();
    const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
    const app = express().set("env", "test");
    app.use(
      createExpressMiddleware(
        payments,
        { "POST /ask": { planId: "42" } },
        {
          queue: createMemoryQueue(),
          report: false,
          settle: "before",
          logger: { error: () => {} },
        },
      ),
    );
    app.post("/ask", (_request, response, next) => {
      begin(response);
      next(new Error("the agent fell over"));
    });
    const agent = await listen(createServer(app));
    const headers = { "idempotency-key": "order-0000-0000-0001" };
    const askOnce = () => ask(agent.origin, "/ask", { headers }).catch(() => null);
    try {
      return [await askOnce(), await askOnce(), service.called("settle").length] as const;
    } finally {
      await agent.close();
    }
  }

  test("the answer to work that throws has the receipt of what was paid before it", async () => {
    const [first, again, settled] = await askTwice(() => {});
    expect(first?.receipt()).toMatchObject({ success: true, outcome: "failed" });
    expect([again?.receipt(), settled]).toEqual([first?.receipt(), 1]);
  });

  test("a connection that it breaks off leaves the receipt to a repeat", async () => {
    const [first, again, settled] = await askTwice((response) => {
      response.writeHead(200, { "content-type": "application/json" }).write("{");
    });
    expect([first, again?.status, settled]).toEqual([null, 500, 1]);
    expect(again?.receipt()).toMatchObject({ success: true, outcome: "failed" });
  });

  test("an answer that has ended when its work fails is delivered", async () => {
    const [first, again, settled] = await askTwice((response) => response.json({ words: 3 }));
    expect([first?.json(), again?.json(), settled]).toEqual([{ words: 3 }, { words: 3 }, 1]);
  });
});
