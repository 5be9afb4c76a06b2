import { createServer } from "node:http";
import { afterEach, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen, type RunningAgent } from "../../test-support/agents/agent.ts";
import { ask } from "../../test-support/agents/ask.ts";
import { apiKeyOf, BUILDER, createFakeService } from "../../test-support/fake-service.ts";
import type { GateOptions } from "../gate-options.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { createNodeListener } from "./node.ts";

const running: RunningAgent[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ close }) => close()));
});

function setUp() {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const errors: string[] = [];
  const options: GateOptions = {
    queue: createMemoryQueue(),
    report: false,
    logger: { error: (message) => errors.push(message) },
  };
  return { payments, options, errors };
}

test("what an async listener throws where nothing is gated is answered with 500, and ends no process", async () => {
  const { payments, options, errors } = setUp();
  const listener = createNodeListener(
    payments,
    { "POST /ask": { planId: "42" } },
    async () => {
      throw new Error("the agent fell over");
    },
    options,
  );
  const agent = await listen(createServer(listener));
  running.push(agent);
  const signal = AbortSignal.timeout(3_000);
  const answer = await ask(agent.origin, "/free", { token: null, signal });
  expect([answer.status, errors]).toEqual([500, ["The work failed."]]);
});
