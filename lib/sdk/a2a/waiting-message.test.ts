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
  type Handler,
  tokenOf,
  tokenTextOf,
} from "../test-support/fake-service.ts";
import { beginTask } from "../test-support/task-messages.ts";
import { STATE } from "./a2a-types.ts";
import { A2A_PAYMENT } from "./metadata.ts";
import { withPayment } from "./with-payment.ts";

const card = { name: "Reader", supportedInterfaces: [], capabilities: {} };
const PAID = { [A2A_PAYMENT.PAYLOAD]: tokenOf("42") };

/** An agent whose service answers the payments like this, one after the other: the first once `decide` is called. */
async function start(...answers: Handler[]) {
  const service = createFakeService();
  const { verify } = service.handlers;
  let [decide, verified] = [() => {}, 0];
  const decided = new Promise<void>((resolve) => {
    decide = resolve;
  });
  service.handlers.verify = async (call) => {
    verified += 1;
    const answer = answers[verified - 1] ?? verify;
    await decided;
    return answer?.(call);
  };
  const apiKey = apiKeyOf(BUILDER);
  const payments = Payments.getInstance({ apiKey, fetch: service.fetch, maxRetries: 0 });
  let runs = 0;
  const executor = {
    async execute({ taskId, contextId }: Task & { taskId: string }, bus: ExecutionEventBus) {
      runs += 1;
      const status = { state: STATE.COMPLETED, message: undefined, timestamp: undefined };
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: {} }));
      bus.finished();
    },
    cancelTask: async () => {},
  };
  const options = { queue: createMemoryQueue(), report: false };
  const [store, context] = [new InMemoryTaskStore(), new ServerCallContext()];
  const resource = { url: "https://agent.test/a2a", planId: "42" };
  const paid = withPayment(payments, resource, executor as never, options);
  const agent = new DefaultRequestHandler(card as never as AgentCard, store, paid as never);
  const { task, send } = await beginTask(agent, context);
  return {
    send,
    decide,
    verifying: () => vi.waitFor(() => expect(verified).toBe(1), { timeout: 10_000 }),
    /** Once the agent has received so many messages of the task, and removed their payments. */
    received: (count: number) =>
      vi.waitFor(
        async () => {
          const stored = await store.load(task.id, context);
          expect(stored?.history).toHaveLength(count);
          expect(JSON.stringify(stored)).not.toContain(A2A_PAYMENT.PAYLOAD);
        },
        { timeout: 10_000 },
      ),
    stored: () => store.load(task.id, context),
    runs: () => runs,
    charges: () => service.called("settle").length,
  };
}

// No verification: the gate does not try again.
const unreadable: Handler = () => ({});
const unfunded: Handler = () => ({
  isValid: false,
  invalidReason: "insufficient_balance",
  error: "insufficient_balance",
});

const statusOf = (state: number, paid: string) => ({
  status: { state, message: { metadata: { [A2A_PAYMENT.STATUS]: paid } } },
});
const completed = statusOf(STATE.COMPLETED, "payment-completed");
const asked = statusOf(STATE.INPUT_REQUIRED, "payment-required");

describe("a message that comes while the payment of an earlier one is verified", () => {
  test.each([
    ["is declined", unfunded],
    ["cannot be verified", unreadable],
  ])("runs and pays where the earlier payment %s", async (_, refused) => {
    const { send, decide, verifying, received, stored, runs, charges } = await start(refused);
    const first = send(PAID);
    await verifying();
    const second = send(PAID);
    await received(3);
    decide();
    expect(await second).toMatchObject(completed);
    // The messages of a task have one stream, which a refusal would end for both.
    expect(await first).toMatchObject(completed);
    expect(await stored()).toMatchObject(completed);
    expect([runs(), charges()]).toEqual([1, 1]);
  });

  test("runs with a payment in its header, too", async () => {
    const { send, decide, verifying, received, runs, charges } = await start(unfunded);
    const first = send(PAID);
    await verifying();
    const second = send(undefined, { "payment-signature": tokenTextOf("42") });
    await received(3);
    decide();
    expect(await Promise.all([first, second])).toMatchObject([completed, completed]);
    expect([runs(), charges()]).toEqual([1, 1]);
  });

  test("gets the answer of the earlier one where that is paid, and pays nothing", async () => {
    const { send, decide, verifying, received, runs, charges } = await start();
    const first = send(PAID);
    await verifying();
    const second = send(PAID);
    await received(3);
    decide();
    expect(await Promise.all([first, second])).toMatchObject([completed, completed]);
    expect([runs(), charges()]).toEqual([1, 1]);
  });

  test("runs after several that are declined, and they are asked to pay if it is, too", async () => {
    const { send, decide, verifying, received, runs, charges } = await start(
      ...[unfunded, unfunded, unfunded],
    );
    const first = send(PAID);
    await verifying();
    const second = send(PAID);
    await received(3);
    const third = send(PAID);
    await received(4);
    decide();
    expect(await Promise.all([first, second, third])).toMatchObject([asked, asked, asked]);
    expect(await send(PAID)).toMatchObject(completed);
    expect([runs(), charges()]).toEqual([1, 1]);
  });

  test("is refused at once if it has no payment, and the earlier one keeps its refusal", async () => {
    const { send, decide, verifying } = await start(unfunded);
    const first = send(PAID);
    await verifying();
    await expect(send()).rejects.toThrow("The agent is working on this task");
    decide();
    expect(await first).toMatchObject(asked);
  });
});

describe("a payment that cannot be verified is failed, and its task waits for another", () => {
  const failed = statusOf(STATE.INPUT_REQUIRED, "payment-failed");

  test("where nothing works on the task", async () => {
    const { send, decide, charges } = await start(unreadable);
    decide();
    expect(await send(PAID)).toMatchObject(failed);
    expect(await send(PAID)).toMatchObject(completed);
    expect(charges()).toBe(1);
  });

  test("where another message waited for one that cannot be, either", async () => {
    const { send, decide, verifying, received, charges } = await start(unreadable, unreadable);
    const first = send(PAID);
    await verifying();
    const second = send(PAID);
    await received(3);
    decide();
    expect(await Promise.all([first, second])).toMatchObject([failed, failed]);
    expect(await send(PAID)).toMatchObject(completed);
    expect(charges()).toBe(1);
  });
});
