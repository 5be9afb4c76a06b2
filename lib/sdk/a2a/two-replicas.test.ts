import type { AgentCard, Message, Task } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import {
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  ServerCallContext,
} from "@a2a-js/sdk/server";
import { expect, test, vi } from "vitest";
import { Payments } from "../client/payments.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { createMemoryAnswers } from "../gate/repeats/memory-answers.ts";
import { apiKeyOf, SUBSCRIBER } from "../test-support/fake-service.ts";
import { createSellingService } from "../test-support/selling-service.ts";
import { A2A_PAYMENT } from "./metadata.ts";
import { sendPaidMessage } from "./send-paid-message.ts";
import { withPayment } from "./with-payment.ts";

const COMPLETED = 3;
const card = { name: "Reader", supportedInterfaces: [], capabilities: {} } as never as AgentCard;
const message = {
  ...{ messageId: "m", contextId: "", taskId: "", role: 1, parts: [] },
  ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
} as Message;
const params = { tenant: "", message, configuration: undefined, metadata: undefined };

test("a repeat that another replica refuses while the first works leaves it its task", async () => {
  const service = createSellingService(1n, () => 0);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const executor: AgentExecutor = {
    async execute({ taskId, contextId, userMessage }, bus) {
      await finished;
      const status = { state: COMPLETED, message: undefined, timestamp: "2026-01-01T00:00:00Z" };
      const data = { id: taskId, contextId, artifacts: [], history: [userMessage], metadata: {} };
      bus.publish({ kind: "task", data: { ...data, status } as Task });
      bus.finished();
    },
    cancelTask: async () => {},
  };
  const [answers, store] = [createMemoryAnswers(), new InMemoryTaskStore()];
  const context = new ServerCallContext();
  const replica = () => {
    const options = { queue: createMemoryQueue(), report: false, answers };
    const resource = { url: "https://agent.test/a2a", planId: "42" };
    return new DefaultRequestHandler(
      card,
      store,
      withPayment(payments, resource, executor, options),
    );
  };
  const [one, two] = [replica(), replica()];
  let [sent, taskId] = [0, ""];
  const client = {
    async sendMessage(given: typeof params) {
      const isPaid = given.message.metadata?.[A2A_PAYMENT.PAYLOAD] !== undefined;
      if (!isPaid) return one.sendMessage(given, context);
      sent += 1;
      taskId = given.message.taskId;
      if (sent > 1) return two.sendMessage(given, context).finally(finish);
      void one.sendMessage(given, context);
      await vi.waitFor(() => expect(service.called("verify")).toHaveLength(1));
      throw new TypeError("The connection broke off.");
    },
  };
  const options = { maxSpend: 500n, idempotencyKey: "task-number-17-0001" };
  await sendPaidMessage(payments, client as never as Client, params, options).catch(() => {});
  expect(sent).toBeGreaterThan(1);
  await vi.waitFor(async () =>
    expect(await store.load(taskId, context)).toMatchObject({ status: { state: COMPLETED } }),
  );
  expect(service.called("settle")).toHaveLength(1);
});
