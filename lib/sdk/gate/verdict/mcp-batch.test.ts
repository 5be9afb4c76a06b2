import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
import { expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { listen } from "../../test-support/agents/agent.ts";
import { ask } from "../../test-support/agents/ask.ts";
import { apiKeyOf, BUILDER, createFakeService } from "../../test-support/fake-service.ts";
import { createExpressMiddleware } from "../adapters/express.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";

const SECRET = "forty-two";

/** A server of the official SDK with one tool, its whole endpoint behind the gate. */
async function serveTool() {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const options = { queue: createMemoryQueue(), report: false };
  const app = express();
  app.use(createExpressMiddleware(payments, { "POST /mcp": { planId: "42" } }, options));
  app.post("/mcp", async (request, response) => {
    const server = new McpServer({ name: "reader", version: "1.0.0" });
    server.registerTool("secret", {}, () => ({ content: [{ type: "text", text: SECRET }] }));
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await server.connect(transport as Parameters<McpServer["connect"]>[0]);
    await transport.handleRequest(request, response);
  });
  const { origin, close } = await listen(createServer(app));
  return { origin, close, settled: () => service.called("settle").length };
}

const call = (id: unknown, name: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} },
});
const nonsense = (id: unknown) => ({ jsonrpc: "2.0", id, method: "nonsense" });

test.each([
  ["alone", call(1, "secret"), 1],
  ["beside an unknown method", [call(1, "secret"), nonsense(2)], 1],
  ["beside an unknown tool", [call(1, "secret"), call(2, "unknown")], 1],
  ["beside calls that fail, absent itself", [nonsense(1), call(2, "unknown")], 0],
])("T19: an MCP call %s is charged when its result was sent", async (_what, body, charged) => {
  const { origin, close, settled } = await serveTool();
  try {
    const headers = { accept: "application/json, text/event-stream" };
    const answer = await ask(origin, "/mcp", { headers, body: JSON.stringify(body) });
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    expect(answer.text.includes(SECRET)).toBe(charged === 1);
    expect(settled()).toBe(charged);
  } finally {
    await close();
  }
});
