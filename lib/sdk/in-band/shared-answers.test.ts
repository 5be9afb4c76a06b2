import { expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { createMemoryAnswers } from "../gate/repeats/memory-answers.ts";
import { MCP_PAYMENT, MCP_PAYMENT_RESPONSE } from "../mcp/tool-result.ts";
import { type ToolExtra, withPayment } from "../mcp/with-payment.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  refusal,
  tokenOf,
} from "../test-support/fake-service.ts";
import { skipWaits } from "../test-support/skip-waits.ts";

test("T14: a tool's result whose payment was open is given to its repeat, once it is paid", async () => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  let ran = 0;
  const tool = withPayment<[object, ToolExtra], { content: { type: "text"; text: string }[] }>(
    payments,
    { server: "reader", tool: "count", planId: "42" },
    () => ({ content: [{ type: "text", text: `${++ran}` }] }),
    { queue: createMemoryQueue(), report: false, answers: createMemoryAnswers() },
  );
  const identifier = { info: { required: false, id: "one-id-of-a-user-task" } };
  const token = { ...tokenOf("42"), extensions: { "payment-identifier": identifier } };
  const call = () => tool({ text: "x" }, { _meta: { [MCP_PAYMENT]: token } } as ToolExtra);
  const { settle = () => null } = service.handlers;
  service.handlers.settle = () => refusal(503, "unavailable");
  const stop = skipWaits();
  expect(await call()).toMatchObject({ isError: true });
  stop();
  service.handlers.settle = settle;
  for (const result of [await call(), await call()])
    expect(result).toMatchObject({
      content: [{ text: "1" }],
      _meta: { [MCP_PAYMENT_RESPONSE]: { success: true } },
    });
});

test("T14: tools that share a store of answers give their own, under one id and with equal arguments", async () => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const options = { queue: createMemoryQueue(), report: false, answers: createMemoryAnswers() };
  const toolOf = (tool: string) =>
    withPayment<[object, ToolExtra], { content: { type: "text"; text: string }[] }>(
      payments,
      { server: "reader", tool, planId: "42" },
      () => ({ content: [{ type: "text", text: tool }] }),
      options,
    );
  const [count, translate] = [toolOf("count"), toolOf("translate")];
  const identifier = { info: { required: false, id: "one-id-of-a-user-task" } };
  const token = { ...tokenOf("42"), extensions: { "payment-identifier": identifier } };
  const call = (tool: typeof count) =>
    tool({ text: "x" }, { _meta: { [MCP_PAYMENT]: token } } as ToolExtra);

  expect(await call(count)).toMatchObject({ content: [{ text: "count" }] });
  expect(await call(translate)).toMatchObject({
    isError: true,
    structuredContent: { code: "idempotency_conflict" },
  });
  expect(await call(count)).toMatchObject({ content: [{ text: "count" }] });
  expect(service.called("settle")).toHaveLength(1);
});
