import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { Payments } from "@turnpike/payments";
import { withPayment } from "@turnpike/payments/mcp";
import { z } from "zod";

const { TURNPIKE_PLAN_ID: planId, TURNPIKE_AGENT_ID: agentId, PORT } = process.env;
const payments = Payments.getInstance();
const price = { server: "reader", tool: "count", planId, agentId, credits: 1 };
const count = withPayment(payments, price, async ({ text }) => ({
  content: [{ type: "text", text: String(text.split(" ").length) }],
}));

createServer(async (request, response) => {
  if (request.url !== "/mcp") return response.writeHead(404).end();
  // A server without sessions has no stream to GET.
  if (request.method !== "POST") return response.writeHead(405, { allow: "POST" }).end();
  const server = new McpServer({ name: "reader", version: "1.0.0" });
  const about = { description: "Counts words.", inputSchema: { text: z.string() } };
  server.registerTool("count", about, count);
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}).listen(PORT);
