import type { AgentCard, Task } from "@a2a-js/sdk";
import {
  AgentEvent,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  ServerCallContext,
} from "@a2a-js/sdk/server";
import { describe, expect, test, vi } from "vitest";
import { Payments } from "../client/payments.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenOf,
  tokenTextOf,
} from "../test-support/fake-service.ts";
import { beginTask, messageTo } from "../test-support/task-messages.ts";
import { STATE } from "./a2a-types.ts";
import { A2A_PAYMENT } from "./metadata.ts";
import { withPayment } from "./with-payment.ts";

const card = { name: "Reader", supportedInterfaces: [], capabilities: { streaming: true } };
const PAID = { [A2A_PAYMENT.PAYLOAD]: tokenOf("42") };

/** An agent that works on one task until `finish`, and says first that it does, if `before` is a state. */
async function start(before?: number) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const resource = { url: "https://agent.test/a2a", planId: "42" };
  let [finish, runs] = [() => {}, 0];
  const asked = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const executor = {
    async execute({ taskId, contextId }: Task & { taskId: string }, bus: ExecutionEventBus) {
      runs += 1;
      // What it waits for came in a message.
      if (runs > 1) return finish();
      const publish = (state: number) => {
        const status = { state, message: undefined, timestamp: undefined };
        bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: {} }));
      };
      if (before) publish(before);
      await asked;
      publish(STATE.COMPLETED);
      bus.finished();
    },
    cancelTask: async () => {},
  };
  const options = { queue: createMemoryQueue(), report: false };
  const [store, context] = [new InMemoryTaskStore(), new ServerCallContext()];
  const paid = withPayment(payments, resource, executor as never, options);
  const agent = new DefaultRequestHandler(card as never as AgentCard, store, paid as never);
  const { task, send } = await beginTask(agent, context);
  return {
    send,
    stream: () => agent.sendMessageStream(messageTo(task, PAID), context),
    begun: () => vi.waitFor(() => expect(runs).toBe(1), { timeout: 10_000 }),
    finish,
    stored: () => store.load(task.id, context),
    runs: () => runs,
    charges: () => service.called("settle").length,
  };
}

const completed = {
  status: {
    state: STATE.COMPLETED,
    message: { metadata: { [A2A_PAYMENT.STATUS]: "payment-completed" } },
  },
};

describe("a second message to a task that the agent works on", () => {
  test.each([
    ["a payment that is none", {}],
    ["no payment, but its name", undefined],
    ["another payment", tokenOf("42")],
  ])("with %s gets the answer that was paid for, and pays nothing", async (_, payload) => {
    const { send, begun, finish, stored, runs, charges } = await start();
    const first = send(PAID);
    await begun();
    const second = send({ [A2A_PAYMENT.PAYLOAD]: payload });
    await vi.waitFor(
      async () => {
        expect((await stored())?.history).toHaveLength(3);
        expect(JSON.stringify(await stored())).not.toContain(A2A_PAYMENT.PAYLOAD);
      },
      { timeout: 10_000 },
    );
    finish();
    expect(await Promise.all([first, second])).toMatchObject([completed, completed]);
    expect(await stored()).toMatchObject(completed);
    expect([runs(), charges()]).toEqual([1, 1]);
  });

  test("is refused also where the agent has not said that it works", async () => {
    const { send, begun, finish, charges } = await start();
    const first = send(undefined, { "payment-signature": tokenTextOf("42") });
    await begun();
    await expect(send()).rejects.toThrow("The agent is working on this task");
    finish();
    expect(await first).toMatchObject(completed);
    expect(charges()).toBe(1);
  });

  test("leaves its answer to a task whose paid message is read as a stream", async () => {
    const { send, stream, begun, finish, stored, charges } = await start();
    const reading = (async () => {
      for await (const _event of stream());
    })().catch(() => {});
    await begun();
    const second = send({ [A2A_PAYMENT.PAYLOAD]: {} });
    await vi.waitFor(async () => expect((await stored())?.history).toHaveLength(3), {
      timeout: 10_000,
    });
    finish();
    await reading;
    expect(await second).toMatchObject(completed);
    expect(await stored()).toMatchObject(completed);
    expect(charges()).toBe(1);
  });
});

test.each([
  ["without payment", undefined],
  ["with a payment that is none", { [A2A_PAYMENT.PAYLOAD]: {} }],
])(
  "a message %s to a task that waits for a credential leaves it its paid answer",
  async (_, metadata) => {
    const { send, begun, finish, stored, charges } = await start(STATE.AUTH_REQUIRED);
    expect(await send(PAID)).toMatchObject({ status: { state: STATE.AUTH_REQUIRED } });
    await begun();
    expect(await send(metadata)).toMatchObject({
      status: {
        state: STATE.AUTH_REQUIRED,
        message: { metadata: { [A2A_PAYMENT.STATUS]: "payment-required" } },
      },
    });
    finish();
    await vi.waitFor(async () => expect(await stored()).toMatchObject(completed), {
      timeout: 10_000,
    });
    expect(charges()).toBe(1);
  },
);

test("a paid message with the credential that a task waits for gets the answer, which is charged once", async () => {
  const { send, begun, stored, charges } = await start(STATE.AUTH_REQUIRED);
  await send(PAID);
  await begun();
  expect(await send(PAID)).toMatchObject(completed);
  expect(await stored()).toMatchObject(completed);
  expect(charges()).toBe(1);
});
