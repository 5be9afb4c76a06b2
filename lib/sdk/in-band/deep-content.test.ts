import { expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { MCP_PAYMENT } from "../mcp/tool-result.ts";
import { type ToolExtra, withPayment } from "../mcp/with-payment.ts";
import { apiKeyOf, BUILDER, createFakeService, tokenOf } from "../test-support/fake-service.ts";

test.each([200, 10_000])(
  "arguments with an id that are nested %i levels deep are refused, and nothing is reserved",
  async (levels) => {
    const service = createFakeService();
    const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
    const tool = withPayment<[unknown, ToolExtra], { content: unknown[] }>(
      payments,
      { server: "reader", tool: "count", planId: "42" },
      () => ({ content: [] }),
      { queue: createMemoryQueue(), report: false },
    );
    const identifier = { info: { required: false, id: "one-id-of-a-user-task" } };
    const token = { ...tokenOf("42"), extensions: { "payment-identifier": identifier } };
    const deep = JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
    const answer = await tool({ deep }, { _meta: { [MCP_PAYMENT]: token } } as ToolExtra);
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { code: "invalid_input", message: expect.stringContaining("nested") },
    });
    expect(service.called("verify")).toEqual([]);
  },
);
