import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { Payments } from "../client/payments.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  SUBSCRIBER,
  tokenOf,
} from "../test-support/fake-service.ts";
import { createSellingService } from "../test-support/selling-service.ts";
import { callPaidTool } from "./call-paid-tool.ts";
import { MCP_PAYMENT, MCP_PAYMENT_RESPONSE, type ToolResult } from "./tool-result.ts";
import { type ToolExtra, withPayment } from "./with-payment.ts";

const PAGE = { mode: "url", message: "Sign in.", url: "https://x.test", elicitationId: "1" };

/** A tool that asks its user to sign in, and calls of it by a client. */
async function setUpClient(granted: bigint, settle: "after" | "before") {
  const service = createSellingService(granted, () => 0);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  const user = { isSignedIn: false };
  const work = vi.fn(({ asks }: { asks?: boolean }) => {
    if (asks && !user.isSignedIn) throw new UrlElicitationRequiredError([PAGE as never]);
    return { content: [] };
  });
  const tool = withPayment(
    payments,
    { server: "reader", tool: "typed", planId: "42" },
    work as never,
    { queue: createMemoryQueue(), report: false, settle, logger: { error: () => {} } },
  );
  const server = new McpServer({ name: "reader", version: "1.0.0" });
  server.registerTool("typed", { inputSchema: { asks: z.boolean() } }, tool as never);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "caller", version: "1.0.0" });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  const call = (idempotencyKey: string, asks: boolean) =>
    callPaidTool(
      payments,
      client as never,
      { name: "typed", arguments: { asks } },
      {
        planId: "42",
        maxSpend: 500n,
        idempotencyKey,
      },
    );
  return { call, user, counts: () => [work.mock.calls.length, service.called("settle").length] };
}

test.each(["after", "before"] as const)(
  "a tool that asks its user to sign in runs once, and once more for the same key, and is paid once (settle: %s)",
  async (settle) => {
    const { call, user, counts } = await setUpClient(1n, settle);
    await expect(call("one-task-of-a-user", true)).rejects.toMatchObject({ code: -32042 });
    expect(counts()[0]).toBe(1);
    user.isSignedIn = true;
    const { receipt } = await call("one-task-of-a-user", true);
    expect(receipt).toMatchObject({ success: true });
    expect(counts()).toEqual([2, 1]);
  },
);

describe.each([1n, 10n])(
  "while a paid tool waits for its user, of orders of %s credits",
  (granted) => {
    test("another call does not make its repeat pay again", async () => {
      const { call, user, counts } = await setUpClient(granted, "before");
      await expect(call("one-task-of-a-user", true)).rejects.toMatchObject({ code: -32042 });
      expect((await call("two-task-of-a-user", false)).receipt).toMatchObject({ success: true });
      user.isSignedIn = true;
      const { receipt } = await call("one-task-of-a-user", true);
      expect(receipt).toMatchObject({ success: true });
      expect(counts()).toEqual([3, 2]);
    });

    test("its repeat is paid for also after an hour", async () => {
      vi.useFakeTimers({ toFake: ["Date", "performance"] });
      const { call, user, counts } = await setUpClient(granted, "before");
      await expect(call("one-task-of-a-user", true)).rejects.toMatchObject({ code: -32042 });
      vi.advanceTimersByTime(3_600_000);
      user.isSignedIn = true;
      await call("one-task-of-a-user", true);
      vi.useRealTimers();
      expect(counts()).toEqual([2, 1]);
    });
  },
);

test("a tool that was paid before it asked its user to sign in runs for the repeat, and is paid once", async () => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  let runs = 0;
  let isSignedIn = false;
  const tool = withPayment<[unknown, ToolExtra], ToolResult>(
    payments,
    { server: "reader", tool: "typed", planId: "42" },
    () => {
      runs += 1;
      if (!isSignedIn) throw new UrlElicitationRequiredError([PAGE as never]);
      return { content: [{ type: "text", text: `run ${runs}` }] };
    },
    { queue: createMemoryQueue(), report: false, settle: "before", logger: { error: () => {} } },
  );
  const identifier = { info: { required: false, id: "one-id-of-a-user-task" } };
  const token = { ...tokenOf("42"), extensions: { "payment-identifier": identifier } };
  const call = () => tool({}, { _meta: { [MCP_PAYMENT]: token } } as ToolExtra);
  const asking = { code: -32042 };
  await expect(call()).rejects.toMatchObject(asking);
  await expect(call()).rejects.toMatchObject(asking);
  isSignedIn = true;
  const answers = await Promise.all([call(), call()]);
  answers.push(await call());
  for (const { content, _meta } of answers) {
    expect(content).toEqual([{ type: "text", text: "run 3" }]);
    const receipt = _meta?.[MCP_PAYMENT_RESPONSE];
    expect(receipt).toMatchObject({ success: true, outcome: "succeeded" });
  }
  expect([runs, service.called("settle").length]).toEqual([3, 1]);
});

const ask = () => Promise.reject(new UrlElicitationRequiredError([PAGE as never]));
const done: ToolResult = { content: [{ type: "text", text: "done" }] };

/** A tool that is paid before it runs, whose runs end one after the other as `ends` says, and calls of it under one id. */
function setUp(ends: (() => Promise<ToolResult>)[], route = {}) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const tool = withPayment<[unknown, ToolExtra], ToolResult>(
    payments,
    { server: "reader", tool: "typed", planId: "42", ...route },
    async () => (await ends.shift()?.()) ?? { isError: true, content: [] },
    {
      queue: createMemoryQueue(),
      report: false,
      settle: "before",
      timeoutMs: 100,
      logger: { error: () => {} },
    },
  );
  const identifier = { info: { required: false, id: "another-id-of-a-user-task" } };
  const token = { ...tokenOf("42"), extensions: { "payment-identifier": identifier } };
  const call = () => tool({}, { _meta: { [MCP_PAYMENT]: token } } as ToolExtra);
  return { service, call };
}

/** A run that ends when it is told to. */
function openRun() {
  let [resolve, reject] = [(_result: ToolResult) => {}, (_error: Error) => {}];
  const promise = new Promise<ToolResult>((...ends) => {
    [resolve, reject] = ends;
  });
  return { promise, resolve, reject };
}

const late = { isError: true, content: [{ text: "The agent did not answer within 0.1 s." }] };

test("a later repeat runs again where the run for an earlier one failed", async () => {
  const fail = () => Promise.reject(new Error("The caller left."));
  const { service, call } = setUp([ask, fail, async () => done]);
  await expect(call()).rejects.toMatchObject({ code: -32042 });
  expect(await call()).toMatchObject({ isError: true });
  expect(await call()).toMatchObject(done);
  expect(await call()).toMatchObject(done);
  expect(service.called("settle")).toHaveLength(1);
});

test("the run for the repeat goes on after its time, and later repeats wait for it", async () => {
  const long = openRun();
  const more = vi.fn(async () => done);
  const { service, call } = setUp([ask, () => long.promise, more]);
  await expect(call()).rejects.toMatchObject({ code: -32042 });
  expect(await call()).toMatchObject(late);
  expect(await Promise.all([call(), call()])).toMatchObject([late, late]);
  long.resolve({ content: [{ type: "text", text: "of the long run" }] });
  for (let repeat = 0; repeat < 2; repeat += 1) {
    const { content, _meta } = await call();
    expect(content).toMatchObject([{ text: "of the long run" }]);
    expect(_meta?.[MCP_PAYMENT_RESPONSE]).toMatchObject({ success: true, outcome: "succeeded" });
  }
  expect(more).not.toHaveBeenCalled();
  expect(service.called("settle")).toHaveLength(1);
});

test("a run that asks its user again after its time is followed by one more run", async () => {
  const long = openRun();
  const more = vi.fn(async () => done);
  const { call } = setUp([ask, () => long.promise, more, more]);
  await expect(call()).rejects.toMatchObject({ code: -32042 });
  expect(await call()).toMatchObject(late);
  long.reject(new UrlElicitationRequiredError([PAGE as never]));
  expect(await call()).toMatchObject(done);
  expect(await call()).toMatchObject(done);
  expect(more).toHaveBeenCalledTimes(1);
});

test("a result that `isSuccess` can't read fails its run, and a later repeat runs again", async () => {
  const isSuccess = ({ content }: ToolResult) => (content as object[]).length > 0;
  const { call } = setUp([ask, async () => ({}), async () => done], { isSuccess });
  await expect(call()).rejects.toMatchObject({ code: -32042 });
  expect(await call()).toMatchObject({ isError: true });
  expect(await call()).toMatchObject(done);
});
