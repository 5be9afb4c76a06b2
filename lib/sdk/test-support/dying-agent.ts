// Run in its own process: an agent whose streams never end, or which answers by a lease, with its journal in a folder;
// waits to be killed.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Payments } from "../client/payments.ts";
import { createNodeListener } from "../gate/adapters/node.ts";
import { createDurableQueue } from "../gate/queue/durable-queue.ts";
import { createFileStore } from "../gate/queue/file-store.ts";

const [baseUrl = "", apiKey = "", planId = "", agentId = "", folder = "", how] =
  process.argv.slice(2);
const isLeased = how === "leased";
const payments = Payments.getInstance({ apiKey, baseUrl });
const listener = createNodeListener(
  payments,
  { "POST /ask": { planId, agentId } },
  (_request: IncomingMessage, response: ServerResponse) => {
    if (isLeased) return response.end("secret");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: secret\n\n");
  },
  {
    queue: createDurableQueue(createFileStore({ folder }), { firstDelayMs: 1 }),
    report: false,
    ...(isLeased && { lease: { credits: 200, seconds: 5 } }),
  },
);
const server = createServer(listener).listen(0, "127.0.0.1", () => {
  console.log(`port ${(server.address() as AddressInfo).port}`);
});
