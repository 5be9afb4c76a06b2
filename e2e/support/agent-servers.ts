import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buildPaymentRequired, encodeHeader } from "@turnpike/payments/protocol";

export type AgentServer = { url: string; seen: string[]; close: () => Promise<void> };

/** A server on a free port of this machine, for the length of a test. */
export async function serveAgent(handle: RequestListener): Promise<AgentServer> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    request.resume();
    handle(request, response);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}

type Offer = { planId: string; change?: (envelope: Record<string, unknown>) => void };

/** Asks for payment as a sound gate does, or as `change` spoils it. */
export function askForPayment(
  request: IncomingMessage,
  response: ServerResponse,
  { planId, change }: Offer,
): void {
  const endpoint = `http://${request.headers.host}${request.url}`;
  const httpVerb = request.method ?? "GET";
  const envelope = buildPaymentRequired({ planId, endpoint, httpVerb });
  change?.(envelope as unknown as Record<string, unknown>);
  response.writeHead(402, {
    "payment-required": encodeHeader(envelope),
    "cache-control": "no-store",
    "content-type": "application/json",
  });
  response.end("{}");
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}
