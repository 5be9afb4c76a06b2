import { readFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { Payments } from "@/lib/sdk/client/payments.ts";
import { withPayment } from "@/lib/sdk/mcp/index.ts";
import { apiKeyOf, BUILDER } from "@/lib/sdk/test-support/fake-service.ts";

/** The template's server, on a free port. */
async function start(): Promise<Server> {
  const file = join(import.meta.dirname, "templates/mcp/server.mjs");
  // Its package is found only once it is installed.
  const source = (await readFile(file, "utf8")).replace(/^import .*$/gm, "");
  let server = createServer();
  runInNewContext(source, {
    process: { env: { PORT: 0, TURNPIKE_PLAN_ID: "42" } },
    Payments: { getInstance: () => Payments.getInstance({ apiKey: apiKeyOf(BUILDER) }) },
    withPayment,
    createServer: (listener: RequestListener) => {
      server = createServer(listener);
      return server;
    },
  });
  return server;
}

test("the MCP server says that it takes no GET, with which clients ask for a stream", async () => {
  const server = await start();
  try {
    const { port } = server.address() as AddressInfo;
    const { status, headers } = await fetch(`http://localhost:${port}/mcp`);
    expect([status, headers.get("allow")]).toEqual([405, "POST"]);
    expect((await fetch(`http://localhost:${port}/other`)).status).toBe(404);
  } finally {
    server.close();
  }
});
