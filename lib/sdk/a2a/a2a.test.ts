import { createServer } from "node:http";
import {
  type AgentCard,
  type Message,
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
} from "@a2a-js/sdk";
import { type Client, ClientFactory, ServiceParameters } from "@a2a-js/sdk/client";
import {
  AgentEvent,
  type AgentExecutionEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express from "express";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import type { GateOptions } from "../gate/gate-options.ts";
import type { RequestEvent } from "../gate/observe.ts";
import type { Payment } from "../gate/payment.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { X402PaymentRequired } from "../protocol/payment-required.ts";
import { getDynamicCreditsConfig } from "../protocol/plans/credits-builders.ts";
import { getFreePriceConfig } from "../protocol/plans/price-builders.ts";
import { listen, type RunningAgent } from "../test-support/agents/agent.ts";
import { A2A_PAYMENT, paymentExtension } from "./metadata.ts";
import { sendPaidMessage } from "./send-paid-message.ts";
import { withPayment } from "./with-payment.ts";

/** What the agent does with a text. */
type Work = (request: RequestContext, bus: ExecutionEventBus, payment: Payment) => Promise<void>;

const textOf = (message: Message | undefined) =>
  (message?.parts ?? [])
    .map(({ content }) => (content?.$case === "text" ? content.value : ""))
    .join("");

const textPart = (value: string) => ({
  content: { $case: "text" as const, value },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain",
});

const messageOf = (text: string, role: Role, ids: Partial<Message> = {}): Message => ({
  messageId: crypto.randomUUID(),
  contextId: "",
  taskId: "",
  role,
  parts: [textPart(text)],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...ids,
});

const status = (state: TaskState, message?: Message) => ({ state, message, timestamp: undefined });

/** Works on a task: progress, an artifact, and an end in the given state. */
const workOnTask =
  (end: TaskState): Work =>
  async ({ taskId, contextId, userMessage }, bus) => {
    const ids = { taskId, contextId };
    const submitted = status(TaskState.TASK_STATE_SUBMITTED);
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: submitted,
        artifacts: [],
        history: [userMessage],
        metadata: {},
      }),
    );
    const working = status(TaskState.TASK_STATE_WORKING);
    bus.publish(AgentEvent.statusUpdate({ ...ids, status: working, metadata: {} }));
    const artifact = {
      artifactId: "answer",
      name: "",
      description: "",
      parts: [textPart(`secret of ${textOf(userMessage)}`)],
      metadata: undefined,
      extensions: [],
    };
    bus.publish(
      AgentEvent.artifactUpdate({ ...ids, artifact, append: false, lastChunk: true, metadata: {} }),
    );
    bus.publish(AgentEvent.statusUpdate({ ...ids, status: status(end), metadata: {} }));
    bus.finished();
  };

/** Works on a task whose content is in its messages: of an update, and of the task's status or history. */
const workInMessages =
  (place: "status" | "history", end: TaskState): Work =>
  async ({ taskId, contextId, userMessage }, bus) => {
    const ids = { taskId, contextId };
    const content = () => messageOf(`secret of ${textOf(userMessage)}`, Role.ROLE_AGENT, ids);
    const working = TaskState.TASK_STATE_WORKING;
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: status(working, place === "status" ? content() : undefined),
        artifacts: [],
        history: place === "history" ? [userMessage, content()] : [userMessage],
        metadata: {},
      }),
    );
    const update = status(working, content());
    bus.publish(AgentEvent.statusUpdate({ ...ids, status: update, metadata: {} }));
    const reason = messageOf("the reason", Role.ROLE_AGENT, ids);
    bus.publish(AgentEvent.statusUpdate({ ...ids, status: status(end, reason), metadata: {} }));
    bus.finished();
  };

/** A task that its caller cancels before it has content. */
const cancelWithReason: Work = async ({ taskId: id, contextId, userMessage }, bus) => {
  const reason = messageOf("the reason", Role.ROLE_AGENT);
  bus.publish(
    AgentEvent.task({
      id,
      contextId,
      status: status(TaskState.TASK_STATE_CANCELED, reason),
      artifacts: [],
      history: [userMessage],
      metadata: {},
    }),
  );
  bus.finished();
};

const answerWithMessage: Work = async ({ contextId, userMessage }, bus) => {
  const text = `secret of ${textOf(userMessage)}`;
  bus.publish(AgentEvent.message(messageOf(text, Role.ROLE_AGENT, { contextId })));
  bus.finished();
};

describe.each(ruleStores())("paid A2A messages on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let builder: TestParty;
  let subscriber: TestParty;
  let planId: string;
  let agentId: string;
  const running: RunningAgent[] = [];

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    [builder, subscriber] = await Promise.all([service.party(), service.party()]);
    ({ planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Messages" },
      getFreePriceConfig(),
      getDynamicCreditsConfig(1000n, 1n, 10n),
    ));
    ({ agentId } = await builder.payments.agents.registerAgent(
      { name: "Reader" },
      { endpoints: [{ POST: "https://agent.example/a2a" }] },
      [planId],
    ));
    await subscriber.payments.plans.orderPlan(planId);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map(({ close }) => close()));
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const balance = async () => (await subscriber.payments.plans.getPlanBalance(planId)).balance;

  /** An agent on the official SDK over HTTP, and the official client of it. */
  async function start(
    work: Work,
    options: GateOptions = {},
    payments = builder.payments,
    pushed?: StreamResponse[],
    cancel = () => {},
  ) {
    const paidBy: Payment[] = [];
    const events: RequestEvent[] = [];
    const executor = {
      async execute(request: RequestContext, bus: ExecutionEventBus, payment: Payment) {
        paidBy.push(payment);
        await work(request, bus, payment);
      },
      async cancelTask() {
        cancel();
      },
    };
    const gated: AgentExecutor = withPayment(
      payments,
      {
        url: "https://agent.example/a2a",
        planId,
        agentId,
        credits: ({ userMessage }: RequestContext) => textOf(userMessage).length,
      },
      executor,
      {
        report: false,
        queue: createMemoryQueue(),
        logger: { error: () => {} },
        observe: (event) => void (event.type === "request" && events.push(event)),
        ...options,
      },
    );
    const app = express();
    const server = createServer(app);
    const agent = await listen(server);
    running.push(agent);
    const card: AgentCard = {
      name: "Reader",
      description: "Reads.",
      supportedInterfaces: [
        {
          url: `${agent.origin}/a2a`,
          protocolBinding: "JSONRPC",
          tenant: "",
          protocolVersion: "1.0",
        },
      ],
      provider: undefined,
      version: "1.0.0",
      capabilities: {
        streaming: true,
        pushNotifications: pushed !== undefined,
        extensions: [paymentExtension({ planId, agentId, isRequired: false })],
      },
      securitySchemes: {},
      securityRequirements: [],
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [],
      signatures: [],
    };
    const store = new InMemoryTaskStore();
    const sender = { send: async (event: StreamResponse) => void pushed?.push(event) };
    const requestHandler = new DefaultRequestHandler(
      card,
      store,
      gated,
      undefined,
      undefined,
      sender,
    );
    app.use(
      "/.well-known/agent-card.json",
      agentCardHandler({ agentCardProvider: requestHandler }),
    );
    app.use("/a2a", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
    const client: Client = await new ClientFactory().createFromUrl(agent.origin);
    return { client, paidBy, events };
  }

  const params = (text: string): SendMessageRequest => ({
    tenant: "",
    message: messageOf(text, Role.ROLE_USER),
    configuration: undefined,
    metadata: undefined,
  });

  /** What a paid message streams, and the task that is stored in the end. */
  async function stream(client: Client, sent: Partial<Message> = {}) {
    const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId);
    const given = params("abc");
    const metadata = { [A2A_PAYMENT.PAYLOAD]: accessToken };
    const message = { ...(given.message as Message), metadata, ...sent };
    const events: StreamResponse["payload"][] = [];
    for await (const { payload } of client.sendMessageStream({ ...given, message })) {
      events.push(payload);
    }
    const id = events[0]?.$case === "task" ? events[0].value.id : "";
    return { events, task: await client.getTask({ tenant: "", id }) };
  }

  test("a message without a token is answered with a task that waits for payment", async () => {
    const { client, paidBy } = await start(workOnTask(TaskState.TASK_STATE_COMPLETED));
    const result = await client.sendMessage(params("abc"));
    expect(result).toMatchObject({ status: { state: TaskState.TASK_STATE_INPUT_REQUIRED } });
    const { metadata } = ("status" in result && result.status?.message) || { metadata: undefined };
    expect(metadata?.[A2A_PAYMENT.STATUS]).toBe("payment-required");
    const required = X402PaymentRequired.parse(metadata?.[A2A_PAYMENT.REQUIRED]);
    expect(required).toMatchObject({
      resource: { url: "https://agent.example/a2a" },
      accepts: [{ planId, amount: "3" }],
    });
    expect(paidBy).toEqual([]);
  });

  test.each([
    ["a completed task", workOnTask(TaskState.TASK_STATE_COMPLETED)],
    ["a message", answerWithMessage],
  ])("the client pays for %s, and the receipt is in its metadata", async (_what, work) => {
    const { client, paidBy, events } = await start(work);
    const before = await balance();
    const paid = await sendPaidMessage(subscriber.payments, client, params("abc"), {
      maxCredits: 3n,
    });
    expect(JSON.stringify(paid.result)).toContain("secret of abc");
    expect(paid.receipt).toMatchObject({ success: true, creditsRedeemed: "3" });
    expect(paid.holder).toBe("signed");
    expect(paid.agentRequestId).toBe(paidBy[0]?.agentRequestId);
    expect(paidBy).toMatchObject([{ payer: subscriber.address, credits: 3n }]);
    expect(await balance()).toBe(before - 3n);
    expect(events.map(({ moneyStatus }) => moneyStatus)).toEqual(["challenged", "settled"]);
  });

  test("a message above the cap is not paid", async () => {
    const { client, paidBy } = await start(answerWithMessage);
    const paid = await sendPaidMessage(subscriber.payments, client, params("abc"), {
      maxCredits: 2n,
    });
    expect(paid).toMatchObject({ receipt: null, declined: expect.stringContaining("2 credits") });
    expect(paidBy).toEqual([]);
  });

  test.each([
    ["fails", workOnTask(TaskState.TASK_STATE_FAILED)],
    [
      "throws",
      async () => {
        throw new Error("Out of order.");
      },
    ],
  ])("work that %s costs nothing", async (_what, work) => {
    const { client } = await start(work);
    const before = await balance();
    const { result, receipt } = await sendPaidMessage(subscriber.payments, client, params("abc"));
    expect(result).toMatchObject({ status: { state: TaskState.TASK_STATE_FAILED } });
    expect(receipt).toBeNull();
    expect(await balance()).toBe(before);
  });

  test.each([
    ["a cancelled task is not delivered", TaskState.TASK_STATE_CANCELED, false],
    ["a failed task is not delivered", TaskState.TASK_STATE_FAILED, false],
    ["a task that asks for more is delivered", TaskState.TASK_STATE_INPUT_REQUIRED, true],
  ])("held content of %s, which is free", async (_what, end, isDelivered) => {
    const { client } = await start(workOnTask(end));
    const before = await balance();
    const { result } = await sendPaidMessage(subscriber.payments, client, params("abc"));
    expect(result).toMatchObject({ status: { state: end } });
    expect(JSON.stringify(result).includes("secret")).toBe(isDelivered);
    expect(await balance()).toBe(before);
  });

  describe.each(["status", "history"] as const)("a task with content in its %s", (place) => {
    test.each([
      ["is cancelled, has neither content nor a last message", "CANCELED", false],
      ["fails, has no content but the reason", "FAILED", true],
      ["is rejected, has no content but the reason", "REJECTED", true],
    ] as const)("that %s, and is free", async (_what, name, hasReason) => {
      const end = TaskState[`TASK_STATE_${name}`];
      const { client } = await start(workInMessages(place, end));
      const before = await balance();
      const { events, task } = await stream(client);
      expect(task.status?.state).toBe(end);
      expect(task.history.map(textOf)).toEqual(["abc", ...(hasReason ? ["the reason"] : [])]);
      for (const given of [events, task]) {
        expect(JSON.stringify(given)).not.toContain("secret");
        expect(JSON.stringify(given).includes("the reason")).toBe(hasReason);
      }
      expect(await balance()).toBe(before);
    });

    test("that completes is delivered whole", async () => {
      const { client } = await start(workInMessages(place, TaskState.TASK_STATE_COMPLETED));
      const { events } = await stream(client);
      expect(JSON.stringify(events).match(/secret of abc/g)).toHaveLength(2);
    });
  });

  test("a token in the header pays too, a forged token does not", async () => {
    const { client } = await start(answerWithMessage);
    const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId);
    const withHeader = (token: string) =>
      client.sendMessage(params("abc"), {
        serviceParameters: ServiceParameters.create((parameters) => {
          parameters["payment-signature"] = token;
        }),
      });
    expect(JSON.stringify(await withHeader(accessToken))).toContain("payment-completed");
    const refused = await withHeader(accessToken.slice(0, -8));
    expect(JSON.stringify(refused)).toContain("invalid_token");
  });

  test("T56: neither the executor nor the task's history has the token", async () => {
    const requests: RequestContext[] = [];
    const { client } = await start(async (request, bus, payment) => {
      requests.push(request);
      await workOnTask(TaskState.TASK_STATE_COMPLETED)(request, bus, payment);
    });
    const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId);
    const given = params("abc");
    const metadata = { [A2A_PAYMENT.PAYLOAD]: accessToken };
    const message = { ...(given.message as Message), metadata };
    const result = await client.sendMessage(
      { ...given, message },
      {
        serviceParameters: ServiceParameters.create((parameters) => {
          parameters["payment-signature"] = accessToken;
        }),
      },
    );
    expect(JSON.stringify(result)).toContain("secret of abc");
    expect(JSON.stringify(result)).not.toContain(accessToken);
    const [request] = requests;
    expect(JSON.stringify(request?.userMessage)).not.toContain(accessToken);
    const headers = request?.context.state?.get("headers");
    expect(headers).toBeDefined();
    expect(JSON.stringify(headers)).not.toContain(accessToken);
  });

  describe("T56: a stranger finds no token in a task", () => {
    const publishes =
      (...events: ((request: RequestContext) => AgentExecutionEvent)[]): Work =>
      async (request, bus) => {
        for (const event of events) bus.publish(event(request));
        bus.finished();
      };
    const completed = status(TaskState.TASK_STATE_COMPLETED);
    const taskOf =
      (history: Message[] = []) =>
      ({ taskId: id, contextId }: RequestContext) =>
        AgentEvent.task({
          id,
          contextId,
          status: completed,
          artifacts: [],
          history,
          metadata: {},
        });
    const updates =
      (update: ReturnType<typeof status>) =>
      ({ taskId, contextId }: RequestContext) =>
        AgentEvent.statusUpdate({ taskId, contextId, status: update, metadata: {} });
    const answer = () => messageOf("secret of abc", Role.ROLE_AGENT);

    const executors: [string, Work][] = [
      ["a message", answerWithMessage],
      ["status updates", publishes(updates(status(TaskState.TASK_STATE_COMPLETED, answer())))],
      ["a task without history", publishes(taskOf(), updates(status(3, answer())))],
      ["a task with another history", publishes(taskOf([answer()]))],
      ["a task with the message", workOnTask(TaskState.TASK_STATE_COMPLETED)],
      ["a task that fails", workOnTask(TaskState.TASK_STATE_FAILED)],
    ];
    const ways = ["a waiting task", "a new task"] as const;
    const cases = executors.flatMap(([what, work]) =>
      ways
        // Without a task, an SDK that streams accepts no update.
        .filter((way) => what !== "status updates" || way === "a waiting task")
        .map((way) => [what, way, work] as const),
    );

    /** What anyone can read of the tasks while the agent works, and in the end. */
    async function readAll(client: Client): Promise<string> {
      const list = { tenant: "", contextId: "", status: 0, pageToken: "", includeArtifacts: true };
      const { tasks } = await client.listTasks({
        ...list,
        statusTimestampAfter: undefined,
      } as Parameters<Client["listTasks"]>[0]);
      const each = tasks.map(({ id }) => client.getTask({ tenant: "", id }));
      return JSON.stringify([tasks, await Promise.all(each)]);
    }

    test.each(cases)("of an agent that answers with %s, for %s", async (_what, way, work) => {
      for (const isStream of [false, true]) {
        const pushed: StreamResponse[] = [];
        const seen: string[] = [];
        const { client } = await start(
          async (request, bus, payment) => {
            expect(JSON.stringify([request.task, request.userMessage])).not.toContain(accessToken);
            seen.push(await readAll(client));
            await work(request, bus, payment);
          },
          {},
          builder.payments,
          pushed,
        );
        const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId);
        const given = params("abc");
        const waiting = way === "a waiting task" ? await client.sendMessage(given) : undefined;
        const task = waiting && "status" in waiting ? waiting : { id: "", contextId: "" };
        const message: Message = {
          ...(given.message as Message),
          messageId: crypto.randomUUID(),
          taskId: task.id,
          contextId: task.contextId,
          metadata: { [A2A_PAYMENT.PAYLOAD]: accessToken },
        };
        const results: unknown[] = [];
        if (isStream) {
          for await (const event of client.sendMessageStream({ ...given, message })) {
            results.push(event);
          }
        } else results.push(await client.sendMessage({ ...given, message }));
        const fails = work === executors.at(-1)?.[1];
        if (!fails) expect(JSON.stringify(results)).toContain("payment-completed");
        expect(JSON.stringify(results).includes("secret of abc")).toBe(!fails);
        seen.push(await readAll(client), JSON.stringify(pushed), JSON.stringify(results));
        expect(seen.join()).not.toContain(accessToken);
        expect(seen.join()).not.toContain(A2A_PAYMENT.PAYLOAD);
      }
    });
  });

  test("progress is published at once, content only once it is paid", async () => {
    const { client } = await start(workOnTask(TaskState.TASK_STATE_COMPLETED));
    const { events } = await stream(client);
    const kinds = events.map((payload) => payload?.$case);
    expect(kinds).toEqual(["task", "statusUpdate", "artifactUpdate", "statusUpdate"]);
  });

  test.each([
    ["is cancelled after it", workOnTask(TaskState.TASK_STATE_CANCELED), 3n],
    ["ends without a state after it", workOnTask(TaskState.TASK_STATE_WORKING), 3n],
    ["fails after it", workOnTask(TaskState.TASK_STATE_FAILED), 0n],
    ["asks for more after it", workOnTask(TaskState.TASK_STATE_INPUT_REQUIRED), 0n],
    ["is cancelled without it", cancelWithReason, 0n],
  ])("content that is published at once, of a task that %s", async (what, work, charged) => {
    const { client } = await start(work, { settle: "after" });
    const before = await balance();
    const { receipt } = await sendPaidMessage(subscriber.payments, client, params("abc"));
    expect(await balance()).toBe(before - charged);
    if (what === "is cancelled after it") expect(receipt).toMatchObject({ creditsRedeemed: "3" });
  });

  test("content that is published at once is paid where its caller makes the agent throw", async () => {
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const work: Work = async (request, bus) => {
      await workOnTask(TaskState.TASK_STATE_WORKING)(
        request,
        { ...bus, publish: bus.publish.bind(bus), finished: () => bus } as ExecutionEventBus,
        {} as Payment,
      );
      await stopped;
      throw new Error("Cancelled.");
    };
    const { client } = await start(work, { settle: "after" }, builder.payments, undefined, () =>
      stop(),
    );
    const before = await balance();
    const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId);
    const given = params("abc");
    const metadata = { [A2A_PAYMENT.PAYLOAD]: accessToken };
    const message = { ...(given.message as Message), metadata };
    const seen: string[] = [];
    for await (const { payload } of client.sendMessageStream({ ...given, message })) {
      seen.push(JSON.stringify(payload));
      if (payload?.$case !== "artifactUpdate") continue;
      await client
        .cancelTask({ tenant: "", id: payload.value.taskId, metadata: undefined })
        .catch(() => {});
    }
    expect(seen.join()).toContain("secret of abc");
    expect(await balance()).toBe(before - 3n);
  });

  test("content that is published at once is paid also if its caller sends the task another message and cancels", async () => {
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const work: Work = async (request, bus) => {
      const quiet = { publish: bus.publish.bind(bus), finished: () => {} };
      const end = TaskState.TASK_STATE_WORKING;
      await workOnTask(end)(request, quiet as ExecutionEventBus, {} as Payment);
      await stopped;
      throw new Error("Cancelled.");
    };
    const { client, paidBy } = await start(
      work,
      { settle: "after" },
      builder.payments,
      undefined,
      () => stop(),
    );
    const before = await balance();
    const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId);
    const serviceParameters = { "payment-signature": accessToken };
    const configuration = { returnImmediately: true } as SendMessageRequest["configuration"];
    const opened = await client.sendMessage(
      { ...params("abc"), configuration },
      { serviceParameters },
    );
    const { id, contextId } = opened as Task;
    await vi.waitFor(
      async () => expect((await client.getTask({ tenant: "", id })).artifacts).toHaveLength(1),
      { timeout: 10_000 },
    );
    const second = { ...params("de"), configuration };
    const metadata = { [A2A_PAYMENT.PAYLOAD]: accessToken };
    second.message = messageOf("de", Role.ROLE_USER, { taskId: id, contextId, metadata });
    await client.sendMessage(second);
    await client.cancelTask({ tenant: "", id, metadata: undefined }).catch(() => {});
    await vi.waitFor(async () => expect(await balance()).toBe(before - 3n), { timeout: 10_000 });
    expect(paidBy).toHaveLength(1);
  });

  test.each([
    ["sendMessage", "without payment"],
    ["sendMessageStream", "without payment"],
    ["sendMessage", "paid in a header"],
    ["sendMessageStream", "paid in a header"],
  ] as const)(
    "%s %s to a task that the agent works on is refused, and its paid stream goes on",
    async (method, how) => {
      let goOn = () => {};
      const asked = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const work: Work = async (request, bus, payment) => {
        const quiet = { publish: bus.publish.bind(bus), finished: () => {} };
        const working = TaskState.TASK_STATE_WORKING;
        await workOnTask(working)(request, quiet as ExecutionEventBus, payment);
        await asked;
        const { taskId, contextId } = request;
        const completed = status(TaskState.TASK_STATE_COMPLETED);
        bus.publish(
          AgentEvent.statusUpdate({ taskId, contextId, status: completed, metadata: {} }),
        );
        bus.finished();
      };
      const { client, paidBy } = await start(work, { settle: "after" });
      const before = await balance();
      const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId);
      const given = params("abc");
      const metadata = { [A2A_PAYMENT.PAYLOAD]: accessToken };
      const message = { ...(given.message as Message), metadata };
      const serviceParameters: ServiceParameters =
        how === "paid in a header" ? { "payment-signature": accessToken } : {};
      const seen: unknown[] = [];
      for await (const { payload } of client.sendMessageStream({ ...given, message })) {
        seen.push(payload);
        if (payload?.$case !== "artifactUpdate") continue;
        const { taskId, contextId } = payload.value;
        const second = messageOf("de", Role.ROLE_USER, { taskId, contextId });
        const send = async () => {
          const answer = client[method]({ ...given, message: second }, { serviceParameters });
          if ("then" in answer) await answer;
          else for await (const _event of answer);
        };
        await expect(send()).rejects.toThrow("The agent is working on this task");
        goOn();
      }
      expect(seen.at(-1)).toMatchObject({ value: { status: { state: 3 } } });
      expect(JSON.stringify(seen)).toContain("payment-completed");
      expect(paidBy).toHaveLength(1);
      expect(await balance()).toBe(before - 3n);
    },
  );

  test("an agent that waits for a credential gets it, and is then paid", async () => {
    let send = () => {};
    const credential = new Promise<void>((resolve) => {
      send = resolve;
    });
    const { client } = await start(async ({ taskId, contextId, userMessage }, bus) => {
      const ids = { taskId, contextId };
      const update = (state: TaskState, text: string) => {
        const given = status(state, messageOf(text, Role.ROLE_AGENT, ids));
        bus.publish(AgentEvent.statusUpdate({ ...ids, status: given, metadata: {} }));
      };
      const working = status(TaskState.TASK_STATE_WORKING);
      const task = { id: taskId, contextId, status: working, artifacts: [], metadata: {} };
      bus.publish(AgentEvent.task({ ...task, history: [userMessage] }));
      update(TaskState.TASK_STATE_WORKING, "secret of the search");
      update(TaskState.TASK_STATE_AUTH_REQUIRED, "Sign in.");
      await credential;
      update(TaskState.TASK_STATE_COMPLETED, "secret of abc");
      bus.finished();
    });
    const before = await balance();
    const { result } = await sendPaidMessage(subscriber.payments, client, params("abc"));
    expect(result).toMatchObject({ status: { state: TaskState.TASK_STATE_AUTH_REQUIRED } });
    expect(JSON.stringify(result)).not.toContain("secret");
    const { id } = result as Task;
    const rest: StreamResponse[] = [];
    for await (const event of client.resubscribeTask({ tenant: "", id })) {
      if (rest.length === 0) send();
      rest.push(event);
    }
    const task = await client.getTask({ tenant: "", id });
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(JSON.stringify(task)).toContain("secret of abc");
    expect(await balance()).toBe(before - 3n);
  });

  test("a caller who names their message like the agent's answer pays for the answer", async () => {
    const answerId = "answer";
    const { client } = await start(async ({ taskId: id, contextId, userMessage }, bus) => {
      const answer = messageOf("secret", Role.ROLE_AGENT, { messageId: answerId });
      const task = { id, contextId, artifacts: [], metadata: {} };
      const working = status(TaskState.TASK_STATE_WORKING);
      bus.publish(AgentEvent.task({ ...task, status: working, history: [userMessage, answer] }));
      const cancelled = status(TaskState.TASK_STATE_CANCELED);
      const ids = { taskId: id, contextId, metadata: {} };
      bus.publish(AgentEvent.statusUpdate({ ...ids, status: cancelled }));
      bus.finished();
    });
    const before = await balance();
    const { events, task } = await stream(client, {
      role: Role.ROLE_AGENT,
      messageId: answerId,
    });
    expect(task.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(JSON.stringify([events, task])).not.toContain("secret");
    expect(await balance()).toBe(before);
  });

  /** The payment's status in the answer of an agent whose settlements end like this. */
  async function statusAfter(settle: () => Promise<never>, mode: "before" | "after") {
    const { facilitator, ...payments } = builder.payments;
    const broken = { ...payments, facilitator: { ...facilitator, settlePermissions: settle } };
    const work = workOnTask(TaskState.TASK_STATE_COMPLETED);
    const { client } = await start(work, { settle: mode }, broken);
    const { result } = await sendPaidMessage(subscriber.payments, client, params("abc"));
    const message = "status" in result ? result.status?.message : undefined;
    return { status: message?.metadata?.[A2A_PAYMENT.STATUS], said: textOf(message) };
  }

  test.each(["before", "after"] as const)(
    "a payment that times out %s the answer is not called failed, and one that is refused is",
    async (mode) => {
      vi.useFakeTimers({ toFake: ["performance"] });
      try {
        const unknown = await statusAfter(async () => {
          // So that the gate gives up at once. It repeats the settle for as long as the process lives, also in other tests.
          if (vi.isFakeTimers()) vi.advanceTimersByTime(60_000);
          throw new PaymentsError("timeout", "No answer.");
        }, mode);
        expect(unknown).toEqual({
          status: "payment-verified",
          said: expect.not.stringMatching(/fail|could not/),
        });
      } finally {
        vi.useRealTimers();
      }
      const refused = await statusAfter(async () => {
        throw new PaymentsError("conflict", "The reservation was released.");
      }, mode);
      expect(refused.status).toBe("payment-failed");
    },
  );

  test("work that times out after it was paid says that it is paid", async () => {
    const { client } = await start(() => new Promise(() => {}), {
      settle: "before",
      timeoutMs: 50,
    });
    const { result } = await sendPaidMessage(subscriber.payments, client, params("abc"));
    expect(result).toMatchObject({
      status: {
        state: TaskState.TASK_STATE_FAILED,
        message: { metadata: { [A2A_PAYMENT.STATUS]: "payment-completed" } },
      },
    });
  });

  test("work that throws after it was paid says that it is paid", async () => {
    const fails: Work = async () => {
      throw new Error("the agent fell over");
    };
    const { client } = await start(fails, { settle: "before" });
    const { result, receipt } = await sendPaidMessage(subscriber.payments, client, params("abc"));
    expect(result).toMatchObject({
      status: {
        state: TaskState.TASK_STATE_FAILED,
        message: { metadata: { [A2A_PAYMENT.STATUS]: "payment-completed" } },
      },
    });
    expect(receipt).toMatchObject({ success: true, outcome: "failed" });
  });

  test("a failed settlement withholds the content, unless the agent settles afterwards", async () => {
    const broken = {
      ...builder.payments,
      facilitator: {
        ...builder.payments.facilitator,
        settlePermissions: async () => {
          throw new PaymentsError("conflict", "The reservation was released.");
        },
      },
    };
    const work = workOnTask(TaskState.TASK_STATE_COMPLETED);
    const strict = await start(work, {}, broken);
    const withheld = await sendPaidMessage(subscriber.payments, strict.client, params("abc"));
    expect(withheld.result).toMatchObject({ status: { state: TaskState.TASK_STATE_FAILED } });
    expect(JSON.stringify(withheld.result)).not.toContain("secret");
    expect(withheld.receipt).toMatchObject({ success: false });
    const after = await start(work, { settle: "after" }, broken);
    const given = await sendPaidMessage(subscriber.payments, after.client, params("abc"));
    expect(JSON.stringify(given.result)).toContain("secret of abc");
    expect(given.receipt).toMatchObject({ success: false });
  });
});
