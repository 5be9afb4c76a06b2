import { expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { apiKeyOf, BUILDER, createFakeService, tokenOf } from "../test-support/fake-service.ts";
import { type A2ARequest, type Bus, ROLE_AGENT, STATE } from "./a2a-types.ts";
import { A2A_PAYMENT } from "./metadata.ts";
import { withPayment } from "./with-payment.ts";

const ids = { taskId: "task", contextId: "context" };
const PAID = { [A2A_PAYMENT.PAYLOAD]: tokenOf("42") };

/** An agent that does `work`, and what a message of one part with these bytes gets from it. */
async function send(
  work: (request: A2ARequest, bus: Bus) => void,
  { bytes = new Uint8Array([1]), metadata }: { bytes?: Uint8Array; metadata?: object } = {},
) {
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    fetch: createFakeService().fetch,
  });
  const statuses: unknown[] = [];
  const artifacts: unknown[] = [];
  /** The parts of each message that the caller gets from the agent. */
  const said: unknown[] = [];
  let reads = 0;
  const part = {
    get content() {
      reads += 1;
      return { $case: "raw", value: bytes };
    },
  };
  const agent = withPayment<A2ARequest, Bus>(
    payments,
    { url: "https://agent.example/a2a", planId: "42" },
    { execute: async (request, bus) => work(request, bus), async cancelTask() {} },
    { queue: createMemoryQueue(), report: false },
  );
  const userMessage = {
    messageId: "question",
    ...ids,
    role: 1,
    parts: [part],
    metadata: { ...metadata },
    extensions: [],
    referenceTaskIds: [],
  };
  const task = {
    id: ids.taskId,
    contextId: ids.contextId,
    status: undefined,
    artifacts: [],
    history: [],
    metadata: {},
  };
  await agent.execute(
    { ...ids, userMessage, task },
    {
      publish({ data }) {
        if ("status" in data) statuses.push(data.status?.state);
        // As they are now, because the executor may change its task later.
        if ("artifacts" in data) artifacts.push(...data.artifacts);
        const history = "history" in data ? (data.history ?? []) : [];
        const messages = [...history, ("status" in data && data.status?.message) || []].flat();
        said.push(
          ...messages.filter(({ role }) => role === ROLE_AGENT).flatMap(({ parts }) => parts),
        );
      },
      finished() {},
    },
  );
  return { statuses, artifacts, said, reads };
}

test("a message's content is not read before it is paid for", async () => {
  const { statuses, reads } = await send(() => {}, { bytes: Buffer.alloc(3_000_000) });
  expect(statuses).toEqual([STATE.INPUT_REQUIRED]);
  expect(reads).toBe(0);
});

test("what an executor adds to the task of its request is content, which waits for its payment", async () => {
  const { statuses, artifacts } = await send(
    ({ task }, bus) => {
      task?.artifacts.push({ artifactId: "secret" });
      const status = { state: STATE.WORKING, message: undefined, timestamp: undefined };
      if (task) bus.publish({ kind: "task", data: { ...task, status } });
    },
    { metadata: PAID },
  );
  expect(statuses).toContain(STATE.WORKING);
  expect(artifacts).toEqual([]);
});

test.each([
  ["once each", [["one"], ["one", "two"]]],
  ["twice where they are said twice", [["one"], ["one", "one"], ["one", "one", "two"]]],
  [
    "twice where they are said twice at first",
    [
      ["one", "one"],
      ["one", "one", "two"],
    ],
  ],
])("messages of the agent that have no id reach their caller %s", async (_, histories) => {
  const { said } = await send(
    ({ task, userMessage }, bus) => {
      const say = (text: string) => ({
        ...{ ...userMessage, messageId: "", role: ROLE_AGENT, metadata: {} },
        parts: [text],
      });
      const publish = (state: number, texts: string[]) => {
        const status = { state, message: undefined, timestamp: undefined };
        const history = texts.map(say);
        if (task) bus.publish({ kind: "task", data: { ...task, history, status } });
      };
      for (const texts of histories) publish(STATE.WORKING, texts);
      publish(STATE.COMPLETED, histories.at(-1) ?? []);
    },
    { metadata: PAID },
  );
  expect(said.filter((part) => typeof part === "string")).toEqual(histories.at(-1));
});

test("what an executor says of payments while it cancels reaches no one", async () => {
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER) });
  const published: unknown[] = [];
  const metadata = { [A2A_PAYMENT.RECEIPTS]: [{ success: true }], trace: "7" };
  const status = { state: STATE.CANCELED, message: undefined, timestamp: undefined };
  const executor = {
    async execute() {},
    async cancelTask(_: string, bus: Bus) {
      bus.publish({ kind: "statusUpdate", data: { ...ids, status, metadata } });
      bus.finished();
    },
  };
  const agent = withPayment<A2ARequest, Bus>(
    payments,
    { url: "https://agent.example/a2a", planId: "42" },
    executor,
    { queue: createMemoryQueue(), report: false },
  );
  const bus: Bus = {
    publish: ({ data }) => published.push(data),
    finished: () => published.push("end"),
  };
  await agent.cancelTask(ids.taskId, bus);
  expect(published).toEqual([{ ...ids, status, metadata: { trace: "7" } }, "end"]);
});
