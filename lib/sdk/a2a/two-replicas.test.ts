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
import { apiKeyOf, refusal, SUBSCRIBER } from "../test-support/fake-service.ts";
import { createSellingService } from "../test-support/selling-service.ts";
import { STATE } from "./a2a-types.ts";
import { A2A_PAYMENT } from "./metadata.ts";
import { sendPaidMessage } from "./send-paid-message.ts";
import { withPayment } from "./with-payment.ts";

const card = { name: "Reader", supportedInterfaces: [], capabilities: {} } as never as AgentCard;
const message = {
  ...{ messageId: "m", contextId: "", taskId: "", role: 1, parts: [] },
  ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
} as Message;
const params = { tenant: "", message, configuration: undefined, metadata: undefined };

test.each([
  ["while the first works", "strict", "conflict"],
  ["as the first has settled it before its work", "before", "idempotency_conflict"],
] as const)(
  "a repeat that another replica refuses %s leaves it its task",
  async (_, settle, code) => {
    const service = createSellingService(1n, () => 0);
    const { verify } = service.handlers;
    service.handlers.verify = (call) =>
      service.called("settle").length > 0 ? refusal(409, "idempotency_conflict") : verify?.(call);
    const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let began = () => {};
    const begun = new Promise<void>((resolve) => {
      began = resolve;
    });
    const executor: AgentExecutor = {
      async execute({ taskId, contextId, userMessage }, bus) {
        began();
        await finished;
        const status = {
          state: STATE.COMPLETED,
          message: undefined,
          timestamp: "2026-01-01T00:00:00Z",
        };
        const data = { id: taskId, contextId, artifacts: [], history: [userMessage], metadata: {} };
        bus.publish({ kind: "task", data: { ...data, status } as Task });
        bus.finished();
      },
      cancelTask: async () => {},
    };
    const [shared, store] = [createMemoryAnswers(), new InMemoryTaskStore()];
    const context = new ServerCallContext();
    const replica = () => {
      const answers = settle === "strict" ? shared : createMemoryAnswers();
      const options = { queue: createMemoryQueue(), report: false, answers, settle };
      const resource = { url: "https://agent.test/a2a", planId: "42" };
      return new DefaultRequestHandler(
        card,
        store,
        withPayment(payments, resource, executor, options),
      );
    };
    const [one, two] = [replica(), replica()];
    let [sent, taskId] = [0, ""];
    let repeated: Task | undefined;
    let refused: Promise<unknown> | undefined;
    const client = {
      async sendMessage(given: typeof params) {
        const isPaid = given.message.metadata?.[A2A_PAYMENT.PAYLOAD] !== undefined;
        if (!isPaid) return one.sendMessage(given, context);
        sent += 1;
        taskId = given.message.taskId;
        if (sent > 1) {
          repeated = (await two.sendMessage(given, context)) as Task;
          const { id, contextId } = repeated;
          const unpaid = { ...message, messageId: "unpaid", taskId: id, contextId };
          refused = one.sendMessage({ ...params, message: unpaid }, context);
          await refused.catch(finish);
          return repeated;
        }
        void one.sendMessage(given, context);
        await begun;
        throw new TypeError("The connection broke off.");
      },
    };
    const options = { planId: "42", maxSpend: 500n, idempotencyKey: "task-number-17-0001" };
    await sendPaidMessage(payments, client as never as Client, params, options).catch(() => {});
    expect(repeated).toMatchObject({
      status: {
        state: STATE.WORKING,
        message: {
          metadata: { [A2A_PAYMENT.STATUS]: "payment-submitted", [A2A_PAYMENT.ERROR]: code },
        },
      },
    });
    await expect(refused).rejects.toThrow("The agent is working on this task");
    await vi.waitFor(
      async () =>
        expect(await store.load(taskId, context)).toMatchObject({
          status: { state: STATE.COMPLETED },
        }),
      { timeout: 10_000 },
    );
    expect(service.called("settle")).toHaveLength(1);
  },
);
