import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createMemoryQueue, createNodeListener, Payments } from "@turnpike/payments";
import type { SandboxFile } from "../../../lib/sandbox/sandbox-file.ts";
import { serveOn } from "../../../lib/server/own-url.ts";

/** A paid agent with a response of the given size, behind a real gate. */
export async function serveLargeAgent(
  { url, lab }: SandboxFile,
  bytes: number,
): Promise<{ server: Server; url: string; planId: string }> {
  if (!lab) throw new Error("The sandbox has no failure lab, whose plan this agent uses.");
  const seller = Payments.getInstance({
    apiKey: lab.builder.apiKey,
    environment: "sandbox",
    baseUrl: url,
  });
  const planId = lab.plans.calls;
  const body = largeJson(bytes);
  const listen = createNodeListener(
    seller,
    { "POST /large": { planId, credits: 1 } },
    (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { "content-type": "application/json" }).end(body);
    },
    { queue: createMemoryQueue() },
  );
  const server = createServer((request, response) => void listen(request, response));
  const { origin } = await serveOn(server);
  return { server, url: `${origin}/large`, planId };
}

/** Rows of an invented table, up to the size. */
function largeJson(bytes: number): string {
  const rows: string[] = [];
  let length = 0;
  for (let id = 0; length < bytes - 200; id += 1) {
    const row = JSON.stringify({ id, name: `Row ${id}`, tags: ["a", "b"], note: "x".repeat(80) });
    length += row.length + 1;
    rows.push(row);
  }
  return `{"rows":[${rows.join(",")}]}`;
}
