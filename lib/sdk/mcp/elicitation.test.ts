import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
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

test.each(["after", "before"] as const)(
  "a tool that asks its user to sign in runs once, and once more for the same key, and is paid once (settle: %s)",
  async (settle) => {
    const service = createSellingService(1n, () => 0);
    const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
    let runs = 0;
    let isSignedIn = false;
    const tool = withPayment(
      payments,
      { server: "reader", tool: "typed", planId: "42" },
      () => {
        runs += 1;
        if (!isSignedIn) throw new UrlElicitationRequiredError([PAGE as never]);
        return { content: [] };
      },
      { queue: createMemoryQueue(), report: false, settle, logger: { error: () => {} } },
    );
    const server = new McpServer({ name: "reader", version: "1.0.0" });
    server.registerTool("typed", {}, tool as never);
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "caller", version: "1.0.0" });
    await Promise.all([server.connect(theirs), client.connect(ours)]);
    const options = { maxSpend: 500n, idempotencyKey: "one-task-of-a-user" };
    const call = () => callPaidTool(payments, client as never, { name: "typed" }, options);
    await expect(call()).rejects.toMatchObject({ code: -32042 });
    expect(runs).toBe(1);
    isSignedIn = true;
    expect((await call()).receipt).toMatchObject({ success: true });
    expect([runs, service.called("settle").length]).toEqual([2, 1]);
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

test("the run for the repeat has the time of any run, and a later repeat runs again where it failed", async () => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const ends = [
    () => Promise.reject(new UrlElicitationRequiredError([PAGE as never])),
    () => new Promise<ToolResult>(() => {}),
    () => Promise.reject(new Error("The caller left.")),
    async (): Promise<ToolResult> => ({ content: [{ type: "text", text: "done" }] }),
  ];
  const tool = withPayment<[unknown, ToolExtra], ToolResult>(
    payments,
    { server: "reader", tool: "typed", planId: "42" },
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
  await expect(call()).rejects.toMatchObject({ code: -32042 });
  expect(await call()).toMatchObject({ isError: true });
  expect(await call()).toMatchObject({ isError: true });
  expect(await call()).toMatchObject({ content: [{ text: "done" }] });
  expect(await call()).toMatchObject({ content: [{ text: "done" }] });
  expect(service.called("settle")).toHaveLength(1);
});
