import { expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { callPaidTool } from "../mcp/call-paid-tool.ts";
import { MCP_PAYMENT_RESPONSE, type ToolResult } from "../mcp/tool-result.ts";
import { type ToolExtra, withPayment } from "../mcp/with-payment.ts";
import {
  apiKeyOf,
  BUILDER,
  balanceOf,
  createFakeService,
  settlementOf,
} from "../test-support/fake-service.ts";

/** A call of a tool whose plan has no credits left, with what its receipt says of an order. */
async function callTool(ordered: object) {
  const service = createFakeService();
  service.handlers.getPlanBalance = () => balanceOf("42", 0n);
  service.handlers.settle = ({ body }) => ({ ...settlementOf(body), ...ordered });
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const tool = withPayment<[object, ToolExtra], ToolResult>(
    payments,
    { server: "reader", tool: "count", planId: "42" },
    () => ({ content: [] }),
    { queue: createMemoryQueue(), report: false },
  );
  const client = {
    callTool: ({ _meta }: { _meta?: object }) => tool({}, { ...(_meta && { _meta }) } as ToolExtra),
  };
  const paid = await callPaidTool(payments, client, { name: "count" }, { maxSpend: 100n });
  return { paid, revoked: service.called("revokeToken").length };
}

test("a token of a paid call that ordered nothing is revoked, so that its price can be taken back", async () => {
  const { paid, revoked } = await callTool({});
  expect([paid.receipt?.success, revoked]).toEqual([true, 1]);
});

test("a token whose order the receipt names is kept for the next call", async () => {
  const { paid, revoked } = await callTool({ orderTx: "pi_1" });
  expect(paid.receipt).toMatchObject({ success: true, orderTx: "pi_1" });
  expect([paid.agentRequestId, revoked]).toEqual([expect.any(String), 0]);
});

test("a receipt that is nested too deep is none, and the result comes back", async () => {
  const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
  const result = { content: [], _meta: { [MCP_PAYMENT_RESPONSE]: deep } };
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER) });
  const client = { callTool: async () => result };
  const paid = await callPaidTool(payments, client, { name: "count" });
  expect([paid.result, paid.receipt]).toEqual([result, null]);
});
