import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import * as z from "zod";
import { Payments } from "../client/payments.ts";
import type { GateOptions } from "../gate/gate-options.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { apiKeyOf, BUILDER, createFakeService, tokenOf } from "../test-support/fake-service.ts";
import { MCP_PAYMENT, MCP_PAYMENT_RESPONSE, type ToolResult } from "./tool-result.ts";
import { type PaidTool, type ToolExtra, withPayment } from "./with-payment.ts";

const FIELDS = { letters: z.number(), words: z.array(z.object({ text: z.string() })) };
const TYPED = { letters: 3, words: [{ text: "abc" }] };

/** A client of a server whose tool answers with `output`, and what the tool's seller sees. */
async function connect(
  output: () => ToolResult | undefined,
  { options, ...more }: Partial<PaidTool> & { options?: GateOptions } = {},
) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const errors: [string, Record<string, unknown>][] = [];
  const tool = withPayment<[ToolExtra], ToolResult>(
    payments,
    { server: "reader", tool: "typed", planId: "42", outputSchema: FIELDS, ...more },
    output as () => ToolResult,
    {
      queue: createMemoryQueue(),
      report: false,
      logger: { error: (message, fields) => errors.push([message, fields]) },
      ...options,
    },
  );
  const server = new McpServer({ name: "reader", version: "1.0.0" });
  server.registerTool("typed", { outputSchema: FIELDS }, tool as never);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "caller", version: "1.0.0" });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  await client.listTools();
  const pay = () => client.callTool({ name: "typed", _meta: { [MCP_PAYMENT]: tokenOf("42") } });
  const count = (name: string) => service.called(name).length;
  return { client, pay, count, errors };
}

test("a receipt that a tool sets itself is not sent with a result that costs nothing", async () => {
  const _meta = { [MCP_PAYMENT_RESPONSE]: { success: true, transaction: "0x1" }, trace: "7" };
  const { pay, count } = await connect(() => ({ isError: true, content: [], _meta }));
  expect((await pay())._meta).toEqual({ trace: "7" });
  expect(count("settle")).toBe(0);
});

test.each([
  ["a shape", FIELDS],
  ["a schema", z.object(FIELDS)],
])("output that fits %s is charged", async (_, outputSchema) => {
  const output = () => ({ content: [], structuredContent: TYPED });
  const { pay, count, errors } = await connect(output, { outputSchema });
  const { structuredContent, _meta } = await pay();
  expect(structuredContent).toEqual(TYPED);
  expect(_meta?.[MCP_PAYMENT_RESPONSE]).toMatchObject({ success: true });
  expect([count("settle"), count("release"), errors]).toEqual([1, 0, []]);
});

test.each<[string, ToolResult, object, string]>([
  [
    "a wrong field",
    { content: [], structuredContent: { ...TYPED, letters: "3" } },
    FIELDS,
    "letters",
  ],
  [
    "a wrong field inside another",
    { content: [], structuredContent: { ...TYPED, words: [{ text: "abc" }, {}] } },
    z.object(FIELDS),
    "words.1.text",
  ],
  ["a field left out", { content: [], structuredContent: { letters: 3 } }, FIELDS, "words"],
  ["no structured content", { content: [] }, FIELDS, "structuredContent"],
])(
  "output with %s costs nothing, and the seller learns the field",
  async (_, output, schema, field) => {
    const outputSchema = schema as NonNullable<PaidTool["outputSchema"]>;
    const { pay, count, errors } = await connect(() => output, {
      outputSchema,
      isSuccess: () => true,
    });
    const { isError, content } = await pay();
    expect(isError).toBe(true);
    expect((content as { text: string }[])[0]?.text).toContain(field);
    expect([count("settle"), count("release")]).toEqual([0, 1]);
    expect(errors).toEqual([
      [
        "A tool's output does not fit its `outputSchema`.",
        { tool: "typed", field, reason: expect.any(String) },
      ],
    ]);
  },
);

test("an asynchronous `isSuccess`, which code without types can have, is waited for", async () => {
  const isSuccess = (async ({ structuredContent }: ToolResult) => !!structuredContent) as never;
  const failing = await connect(() => ({ content: [] }), { isSuccess, outputSchema: undefined });
  await failing.pay();
  expect([failing.count("settle"), failing.count("release")]).toEqual([0, 1]);
});

test("an error need not fit, and a requirement is in the text alone", async () => {
  const failing = await connect(() => ({
    isError: true,
    content: [{ type: "text", text: "No." }],
  }));
  expect((await failing.pay()).content).toEqual([{ type: "text", text: "No." }]);
  expect(failing.errors).toEqual([]);
  const asked = await failing.client.callTool({ name: "typed" });
  expect(asked).toMatchObject({ isError: true });
  expect(asked.structuredContent).toBeUndefined();
});

test("a tool that is charged before it throws answers with its receipt", async () => {
  const { pay, errors } = await connect(
    () => {
      throw new Error("Out of order.");
    },
    { options: { settle: "before" } },
  );
  const { isError, content, _meta } = await pay();
  expect([isError, content]).toEqual([true, [{ type: "text", text: "Out of order." }]]);
  expect(_meta?.[MCP_PAYMENT_RESPONSE]).toMatchObject({ success: true, outcome: "failed" });
  expect(errors).toEqual([
    ["A tool failed after it was charged.", { tool: "typed", reason: "Error: Out of order." }],
  ]);
});

test.each(["after", "before"] as const)(
  "a tool that sends its client to a page reaches it, settled %s",
  async (settle) => {
    const page = { mode: "url", message: "Sign in.", url: "https://x.test", elicitationId: "1" };
    const { pay, errors } = await connect(
      () => {
        throw new UrlElicitationRequiredError([page as never]);
      },
      { options: { settle } },
    );
    await expect(pay()).rejects.toMatchObject({ code: -32042 });
    expect(errors).toEqual([]);
  },
);

test.each([
  ["`hasOutputSchema`, of an earlier release", { hasOutputSchema: true }],
  ["a JSON Schema", { outputSchema: { type: "object", properties: {} } }],
])("a tool with %s is refused at the start", async (_, more) => {
  const connecting = connect(() => ({ content: [] }), more as object);
  await expect(connecting).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("`outputSchema`"),
  });
});

const circular: ToolResult = { content: [], structuredContent: { ...TYPED } };
circular.structuredContent = { ...TYPED, whole: circular };

test.each([
  ["a bigint", { content: [], structuredContent: { ...TYPED, total: 5n } }],
  ["itself", circular],
  ["nothing", undefined],
])("a result with %s in it, which no transport can send, costs nothing", async (_, result) => {
  const { pay, count, errors } = await connect(() => result);
  expect(await pay()).toMatchObject({
    isError: true,
    content: [{ type: "text", text: expect.stringMatching(/can't be sent as JSON: /) }],
  });
  expect([count("settle"), count("release")]).toEqual([0, 1]);
  expect(errors).toEqual([
    ["A tool's result can't be sent as JSON.", { tool: "typed", reason: expect.any(String) }],
  ]);
});
