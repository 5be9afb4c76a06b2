import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { CLIENT_ADDRESS_HEADER, clientAddress } from "./client-address.ts";

type Endpoint = { fetch: (request: Request) => Response | Promise<Response> };
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const CLOSE_GRACE_MS = 5_000;

const HSTS = "max-age=63072000";

type Endpoints = {
  api: Endpoint;
  webhooks: Endpoint;
  env?: { origin: string; trustedProxies: number };
};

const PLAIN = { origin: "", trustedProxies: 0 };

/** One port for both: `/api/v1/` goes to the API, everything else to the pages. */
export function createHttpServer(
  { api, webhooks, env = PLAIN }: Endpoints,
  pages: Handler | null,
): Server {
  const isSecure = env.origin.startsWith("https:");
  const answerApi = getRequestListener((request) => api.fetch(request), {
    overrideGlobalObjects: false,
  });
  const answerWebhook = getRequestListener((request) => webhooks.fetch(request), {
    overrideGlobalObjects: false,
  });
  return createServer((request, response) => {
    const path = request.url ?? "";
    if (isSecure) response.setHeader("strict-transport-security", HSTS);
    if (path.startsWith("/api/webhooks/")) void answerWebhook(request, response);
    else if (path.startsWith("/api/v1/") || !pages) void answerApi(request, response);
    else {
      request.headers[CLIENT_ADDRESS_HEADER] = clientAddress(request, env.trustedProxies);
      pages(request, response);
    }
  });
}

/** Listens, or rejects with a message that says which variable to change. */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((started, failed) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const text = `Port ${port} is taken. Set PORT to a free one.`;
      failed(cause.code === "EADDRINUSE" ? new Error(text, { cause }) : cause);
    });
    server.listen(port, host, () => started());
  });
}

/** Stops taking requests, lets those under way finish for a while, then ends them. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS).unref();
  });
}
