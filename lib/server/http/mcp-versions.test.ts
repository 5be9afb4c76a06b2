import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";

let database: Database;
let service: TestService;

beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database, { outbound: { send: () => ({}) as never } });
});
afterAll(() => database.close());

/** The server of the official SDK, without sessions and with answers in JSON, as ours is. */
async function askOfficial(request: Request): Promise<Response> {
  const server = new McpServer({ name: "official", version: "1" });
  server.registerTool("any", { description: "Any tool" }, async () => ({ content: [] }));
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport as never);
  return transport.handleRequest(request);
}
const askOurs = async (request: Request) => service.serve(request, { address: "127.0.0.1" });

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
const initialize = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: {
    ...{ protocolVersion: "2025-06-18", capabilities: {} },
    clientInfo: { name: "stock", version: "1" },
  },
};

test.each([null, "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2031-01-01", "latest"])(
  "messages and batches with the version header %s are answered as the official SDK's server does",
  async (version) => {
    for (const sent of [ping(1), [ping(1), ping(2)], initialize]) {
      const told = async (ask: typeof askOurs) => {
        const answer = await ask(
          new Request("http://service.test/api/v1/mcp", {
            method: "POST",
            headers: {
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
              ...(version !== null && { "mcp-protocol-version": version }),
            },
            body: JSON.stringify(sent),
          }),
        );
        const body = [await answer.json()].flat();
        return [
          answer.status,
          body.map(({ id, error, result }) => [id, error?.code, result?.protocolVersion]),
        ];
      };
      expect(await told(askOurs)).toEqual(await told(askOfficial));
    }
  },
);
