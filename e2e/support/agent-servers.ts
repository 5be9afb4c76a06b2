import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import {
  createMemoryQueue,
  createNodeListener,
  type Payments,
  type RouteMap,
} from "@turnpike/payments";
import { buildPaymentRequired, encodeHeader } from "@turnpike/payments/protocol";

export type AgentServer = {
  url: string;
  /** An endpoint of the server; a handler that ignores the path serves any. */
  ask: string;
  seen: string[];
  close: () => Promise<void>;
};

/** Serves agents until their test ends. */
export function agentHost(test: {
  afterEach: (end: () => Promise<unknown>) => void;
}): typeof serveAgent {
  const servers: AgentServer[] = [];
  test.afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));
  return async (handle) => {
    const server = await serveAgent(handle);
    servers.push(server);
    return server;
  };
}

/** A local server on a free port behind the seller's gate, which keeps unsettled requests in memory. */
export function serveGated(
  seller: Payments,
  routes: RouteMap,
  work: RequestListener,
): Promise<AgentServer> {
  const listen = createNodeListener(
    seller,
    routes,
    (request: IncomingMessage, response: ServerResponse) => work(request, response),
    { queue: createMemoryQueue() },
  );
  return serveAgent((request, response) => void listen(request, response));
}

/** A local server on a free port. */
export async function serveAgent(handle: RequestListener): Promise<AgentServer> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    handle(request, response);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    ask: `${url}/ask`,
    seen,
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}

type Offer = { planId: string; change?: (envelope: Record<string, unknown>) => void };

/** Sends a 402 as a gate does, modified by `change`. */
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

/** Turns the offer into a card plan's. */
export function asCardOffer({ accepts }: Record<string, unknown>): void {
  const [offer] = accepts as Record<string, unknown>[];
  Object.assign(offer ?? {}, { scheme: "svc:card-delegation", network: "card-processor" });
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}
