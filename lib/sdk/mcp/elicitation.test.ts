import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { apiKeyOf, SUBSCRIBER } from "../test-support/fake-service.ts";
import { createSellingService } from "../test-support/selling-service.ts";
import { callPaidTool } from "./call-paid-tool.ts";
import { withPayment } from "./with-payment.ts";

test.each(["after", "before"] as const)(
  "a tool that asks its user to sign in runs once, and its caller is told (settle: %s)",
  async (settle) => {
    const service = createSellingService(1n, () => 0);
    const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });
    let runs = 0;
    const page = { mode: "url", message: "Sign in.", url: "https://x.test", elicitationId: "1" };
    const tool = withPayment(
      payments,
      { server: "reader", tool: "typed", planId: "42" },
      () => {
        runs += 1;
        throw new UrlElicitationRequiredError([page as never]);
      },
      { queue: createMemoryQueue(), report: false, settle, logger: { error: () => {} } },
    );
    const server = new McpServer({ name: "reader", version: "1.0.0" });
    server.registerTool("typed", {}, tool as never);
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "caller", version: "1.0.0" });
    await Promise.all([server.connect(theirs), client.connect(ours)]);
    const calling = callPaidTool(payments, client as never, { name: "typed" }, { maxSpend: 500n });
    await expect(calling).rejects.toMatchObject({ code: -32042 });
    expect(runs).toBe(1);
  },
);
