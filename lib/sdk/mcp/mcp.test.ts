import { createServer } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
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
import { decodeAccessToken } from "../protocol/access-token.ts";
import type { AccessToken } from "../protocol/access-token-schema.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { toJson } from "../protocol/json.ts";
import { X402PaymentRequired } from "../protocol/payment-required.ts";
import { getDynamicCreditsConfig } from "../protocol/plans/credits-builders.ts";
import { getFreePriceConfig } from "../protocol/plans/price-builders.ts";
import { listen } from "../test-support/agents/agent.ts";
import { callPaidTool } from "./call-paid-tool.ts";
import { MCP_PAYMENT, MCP_PAYMENT_RESPONSE, type ToolResult } from "./tool-result.ts";
import { type ToolExtra, withPayment } from "./with-payment.ts";

describe.each(ruleStores())("paid MCP tools on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let builder: TestParty;
  let subscriber: TestParty;
  let planId: string;
  let agentId: string;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    [builder, subscriber] = await Promise.all([service.party(), service.party()]);
    ({ planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Tools" },
      getFreePriceConfig(),
      getDynamicCreditsConfig(100n, 1n, 10n),
    ));
    ({ agentId } = await builder.payments.agents.registerAgent(
      { name: "Reader" },
      {
        endpoints: [{ POST: "/tools/:name" }],
        agentDefinitionUrl: "https://agent.example/tools.json",
      },
      [planId],
    ));
    await subscriber.payments.plans.orderPlan(planId);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const balance = async () => (await subscriber.payments.plans.getPlanBalance(planId)).balance;
  const mint = async () =>
    (await subscriber.payments.x402.getX402AccessToken(planId, agentId)).accessToken;

  /** A server of paid tools; `seen` is who paid for what ran. */
  function createTools(options: GateOptions = {}) {
    const seen: Payment[] = [];
    const events: RequestEvent[] = [];
    const own: GateOptions = {
      queue: createMemoryQueue(),
      report: false,
      logger: { error: () => {} },
      observe: (event) => void (event.type === "request" && events.push(event)),
      ...options,
    };
    const { payments } = builder;
    const route = { server: "reader", planId, agentId };
    const server = new McpServer({ name: "reader", version: "1.0.0" });
    server.registerTool(
      "count",
      { inputSchema: { text: z.string() } },
      withPayment(
        payments,
        {
          ...route,
          tool: "count",
          description: "Counts letters.",
          credits: (args) => (args as { text: string }).text.length,
        },
        async ({ text }, _extra, payment) => {
          seen.push(payment);
          return {
            content: [{ type: "text", text: String(text.length) }],
          };
        },
        own,
      ),
    );
    server.registerTool(
      "fail",
      {},
      withPayment(
        payments,
        { ...route, tool: "fail" },
        async () => ({ isError: true, content: [{ type: "text", text: "No luck." }] }),
        own,
      ),
    );
    server.registerTool(
      "throw",
      {},
      withPayment(
        payments,
        { ...route, tool: "throw" },
        async () => {
          throw new Error("Out of order.");
        },
        own,
      ),
    );
    server.registerTool(
      "typed",
      { outputSchema: { letters: z.number() } },
      withPayment(
        payments,
        { ...route, tool: "typed", outputSchema: { letters: z.number() } },
        async () => ({ content: [], structuredContent: { letters: 3 } }),
        own,
      ),
    );
    server.registerTool("free", {}, async () => ({ content: [{ type: "text", text: "Hello." }] }));
    return { server, seen, events };
  }

  async function connect(options?: GateOptions) {
    const tools = createTools(options);
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "caller", version: "1.0.0" });
    await Promise.all([tools.server.connect(theirs), client.connect(ours)]);
    await client.listTools();
    return { client, ...tools };
  }

  const call = { name: "count", arguments: { text: "abc" } };

  test("a tool asks for payment in the form stock x402 clients read", async () => {
    const { client, seen } = await connect();
    const result = await client.callTool(call);
    expect(result.isError).toBe(true);
    const { x402Version, resource, accepts, error } = X402PaymentRequired.parse(
      result.structuredContent,
    );
    expect({ x402Version, resource, error }).toEqual({
      x402Version: 2,
      resource: { url: "mcp://reader/tools/count", description: "Counts letters." },
      error: "token_missing",
    });
    expect(accepts).toMatchObject([{ planId, amount: "3", scheme: "svc:erc4337" }]);
    const [content] = result.content as { text: string }[];
    expect(JSON.parse(content?.text ?? "")).toEqual(result.structuredContent);
    expect(content?.text).toContain('in _meta[\\"x402/payment\\"].');
    expect(seen).toEqual([]);
  });

  test("a client pays a tool, and the receipt is in its result", async () => {
    const { client, seen, events } = await connect();
    const before = await balance();
    const paid = await callPaidTool(subscriber.payments, client, call, { maxCredits: 5n });
    expect(paid.result.content).toEqual([{ type: "text", text: "3" }]);
    expect(paid.receipt).toMatchObject({ success: true, creditsRedeemed: "3" });
    expect(paid.agentRequestId).toBe(seen[0]?.agentRequestId);
    expect(paid.result._meta?.[MCP_PAYMENT_RESPONSE]).toMatchObject({ success: true });
    expect(seen).toMatchObject([{ payer: subscriber.address, planId, credits: 3n }]);
    expect(await balance()).toBe(before - 3n);
    expect(events.map(({ moneyStatus }) => moneyStatus)).toEqual(["challenged", "settled"]);
  });

  test("a tool with an output schema asks for payment in its text only, and is paid", async () => {
    const { client } = await connect();
    const asked = await client.callTool({ name: "typed" });
    expect(asked).toMatchObject({ isError: true });
    expect(asked.structuredContent).toBeUndefined();
    const { result, receipt } = await callPaidTool(subscriber.payments, client, { name: "typed" });
    expect(result.structuredContent).toEqual({ letters: 3 });
    expect(receipt).toMatchObject({ creditsRedeemed: "1" });
  });

  test("a token minted for one tool is refused by another", async () => {
    const { client } = await connect();
    const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
      resource: "mcp://reader/tools/count",
    });
    const token = decodeAccessToken(accessToken);
    const elsewhere = await client.callTool({ name: "fail", _meta: { [MCP_PAYMENT]: token } });
    expect(elsewhere.structuredContent).toMatchObject({ code: "invalid_agent" });
  });

  test("T01: a captured payment pays no other call: not without its signature, not for another tool", async () => {
    const { client, seen } = await connect();
    let captured: unknown;
    const spy = {
      callTool: async (given: Parameters<typeof client.callTool>[0]) => {
        captured = given._meta?.[MCP_PAYMENT] ?? captured;
        return client.callTool(given);
      },
    };
    const paid = await callPaidTool(subscriber.payments, spy, call);
    expect(paid).toMatchObject({ holder: "signed", receipt: { success: true } });
    const before = await balance();
    const { extensions, ...token } = captured as AccessToken;
    const refusalOf = async (name: string, payment: unknown) =>
      (await client.callTool({ ...call, name, _meta: { [MCP_PAYMENT]: payment } }))
        .structuredContent;
    const unsigned = { ...token, extensions: {} };
    expect(await refusalOf("count", unsigned)).toMatchObject({ cause: "not_signed" });
    expect(await refusalOf("fail", captured)).toMatchObject({ cause: "key_mismatch" });
    const [name = "", signed] = Object.entries(extensions ?? {})[0] ?? [];
    const disguised = { ...(signed as object), method: "POST", path: "/tools/count", query: "?" };
    const elsewhere = { ...token, extensions: { [name]: disguised } };
    expect(await refusalOf("fail", elsewhere)).toMatchObject({ cause: "key_mismatch" });
    // The same call again is the same request.
    const again = await client.callTool({ ...call, _meta: { [MCP_PAYMENT]: captured } });
    expect(again.content).toEqual(paid.result.content);
    expect(seen).toHaveLength(1);
    expect(await balance()).toBe(before);
  });

  test("a cap is respected, and a free tool is called without payment", async () => {
    const { client, seen } = await connect();
    const { payments } = subscriber;
    const dear = await callPaidTool(payments, client, call, { maxCredits: 2n });
    expect(dear).toMatchObject({
      receipt: null,
      declined: "Every offer costs more than 2 credits.",
    });
    expect(dear.result.isError).toBe(true);
    const free = await callPaidTool(payments, client, { name: "free" }, { maxCredits: 0n });
    expect(free).toMatchObject({ receipt: null, agentRequestId: null });
    expect(free.result.isError).toBeUndefined();
    expect(seen).toEqual([]);
  });

  test.each(["fail", "throw"])("a tool that does not deliver costs nothing: %s", async (name) => {
    const { client } = await connect();
    const before = await balance();
    const { result, receipt } = await callPaidTool(subscriber.payments, client, { name });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toBeUndefined();
    expect(receipt).toBeNull();
    expect(await balance()).toBe(before);
  });

  test.each([
    ["a number", 42],
    ["an empty document", {}],
    ["not base64", "a b\n"],
    ["too long a text", "A".repeat(10_000)],
  ])("a payment that is %s is refused as a token", async (_what, payload) => {
    const { client, seen } = await connect();
    const result = await client.callTool({ ...call, _meta: { [MCP_PAYMENT]: payload } });
    expect(result.structuredContent).toMatchObject({ code: "invalid_token", retryable: true });
    expect(seen).toEqual([]);
  });

  test("a failed settlement withholds the result, unless the tool settles afterwards", async () => {
    const document = decodeAccessToken(await mint());
    const broken = {
      ...builder.payments,
      facilitator: {
        ...builder.payments.facilitator,
        settlePermissions: async () => {
          throw new PaymentsError("conflict", "The reservation was released.");
        },
      },
    };
    const run = (options: GateOptions) =>
      withPayment(
        broken,
        { server: "reader", tool: "count", planId, agentId },
        async (_extra: ToolExtra, _payment: Payment) => ({
          content: [{ type: "text", text: "secret" }],
        }),
        { report: false, queue: createMemoryQueue(), logger: { error: () => {} }, ...options },
      )({ _meta: { [MCP_PAYMENT]: document } });
    const withheld: ToolResult = await run({});
    expect(withheld.isError).toBe(true);
    expect(JSON.stringify(withheld)).not.toContain("secret");
    expect(withheld._meta?.[MCP_PAYMENT_RESPONSE]).toMatchObject({ success: false });
    const given: ToolResult = await run({ settle: "after" });
    expect(given.content).toEqual([{ type: "text", text: "secret" }]);
    expect(given._meta?.[MCP_PAYMENT_RESPONSE]).toMatchObject({ success: false });
  });

  test("T56: a tool sees its call without the token", async () => {
    const text = await mint();
    const document = decodeAccessToken(text);
    const seen: unknown[] = [];
    const tool = withPayment(
      builder.payments,
      { server: "reader", tool: "count", planId, agentId },
      async (extra: ToolExtra, payment: Payment) => {
        seen.push(extra, payment);
        return { content: [] };
      },
      { report: false, queue: createMemoryQueue() },
    );
    const headers = { "payment-signature": text, "x-mine": "1" };
    await tool({ _meta: { [MCP_PAYMENT]: document, mine: 1 }, requestInfo: { headers } });
    expect(seen[0]).toEqual({ _meta: { mine: 1 }, requestInfo: { headers: { "x-mine": "1" } } });
    expect(toJson(seen)).not.toContain(document?.signature);
  });

  test("T14: a repeat under the same payment identifier gets the same result, free", async () => {
    const { client, seen } = await connect();
    const before = await balance();
    const extensions = {
      "payment-identifier": { info: { required: false, id: "pay_0123456789ab" } },
    };
    const paid = { ...decodeAccessToken(await mint()), extensions };
    const send = (text: string) =>
      client.callTool({ name: "count", arguments: { text }, _meta: { [MCP_PAYMENT]: paid } });
    const first = await send("abc");
    expect(first.isError).toBeUndefined();
    expect(await send("abc")).toEqual(first);
    expect((await send("abcd")).structuredContent).toMatchObject({ code: "idempotency_conflict" });
    expect([seen.length, await balance()]).toEqual([1, before - 3n]);
  });

  test("T18: a cancelled call that succeeds is paid", async () => {
    const { client, events } = await connect();
    const before = await balance();
    const leaving = new AbortController();
    const { payments } = builder;
    const tool = withPayment(
      payments,
      { server: "reader", tool: "count", planId, agentId },
      async (_extra: ToolExtra, _payment: Payment) => {
        leaving.abort();
        return { content: [] };
      },
      { report: false, queue: createMemoryQueue() },
    );
    const _meta = { [MCP_PAYMENT]: decodeAccessToken(await mint()) };
    expect(await tool({ _meta, signal: leaving.signal })).toMatchObject({ content: [] });
    expect(await balance()).toBe(before - 1n);
    await client.close();
    expect(events).toEqual([]);
  });

  test("tools are paid over HTTP too", async () => {
    const http = createServer(async (request, response) => {
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      await createTools().server.connect(transport as Parameters<McpServer["connect"]>[0]);
      await transport.handleRequest(request, response);
    });
    const { origin, close } = await listen(http);
    const client = new Client({ name: "caller", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`));
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    const before = await balance();
    const paid = await callPaidTool(subscriber.payments, client, call, { maxCredits: 3n });
    expect(paid.receipt).toMatchObject({ success: true, creditsRedeemed: "3" });
    expect(await balance()).toBe(before - 3n);
    await client.close();
    await close();
  });

  test("a tool name that is not a valid route is rejected at registration", () => {
    const config = { server: "reader", tool: "a:b", planId };
    expect(() => withPayment(builder.payments, config, () => ({ content: [] }))).toThrow(/a:b/);
  });
});
