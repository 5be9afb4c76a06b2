import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { apiKeyOf, SUBSCRIBER } from "../test-support/fake-service.ts";
import { createSellingService } from "../test-support/selling-service.ts";
import { callPaidTool } from "./call-paid-tool.ts";
import { withPayment } from "./with-payment.ts";

/** A tool that works until it is told to end, and paid calls of it by a real client. */
async function setUp(granted: bigint, settle: "before" | "strict") {
  const service = createSellingService(granted, () => 0);
  const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
  let [begin, end] = [() => {}, () => {}];
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let runs = 0;
  const work = async () => {
    runs += 1;
    begin();
    await ended;
    return { content: [] };
  };
  const route = { server: "reader", tool: "slow", planId: "42" };
  const options = { queue: createMemoryQueue(), report: false, settle };
  const server = new McpServer({ name: "reader", version: "1.0.0" });
  server.registerTool("slow", {}, withPayment(payments, route, work as never, options) as never);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "caller", version: "1.0.0" });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  const call = (limits: { timeoutMs?: number; signal?: AbortSignal }) =>
    callPaidTool(
      payments,
      client as never,
      { name: "slow" },
      {
        planId: "42",
        maxSpend: 500n,
        idempotencyKey: "key-of-one-task-1",
        ...limits,
      },
    );
  const counts = () => [runs, service.called("settle").length, service.orders()];
  return { begun, end, call, counts };
}

test.each([
  [1n, "before"],
  [10n, "strict"],
] as const)(
  "the repeat of a call that its caller ended is paid once (%s credits an order, settle: %s)",
  async (granted, settle) => {
    const { begun, end, call, counts } = await setUp(granted, settle);
    const stop = new AbortController();
    const first = call({ signal: stop.signal });
    await begun;
    stop.abort();
    await expect(first).rejects.toThrow("aborted");
    end();
    expect((await call({})).receipt).toMatchObject({ success: true });
    expect(counts()).toEqual([1, 1, 1]);
  },
);
