import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { CLIENT_ADDRESS_HEADER, clientAddress } from "./client-address.ts";
import { limitBody } from "./limit-body.ts";
import { isRootDocument } from "./root-documents.ts";

type Endpoint = {
  fetch: (request: Request, about: { address: string }) => Response | Promise<Response>;
};
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const CLOSE_GRACE_MS = 5_000;

const HSTS = "max-age=63072000";
/** More than any operation takes; what an answer leaves unread is cut off here. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Answers that no browser shows, runs or embeds; the pages have their own in `next.config.mjs`. */
const API_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

type Endpoints = {
  api: Endpoint;
  webhooks: Endpoint;
  env?: { origin: string; trustedProxies: number };
};

const PLAIN = { origin: "", trustedProxies: 0 };

/** One port for both: `/api/v1/` and the root's documents go to the API, everything else to the pages. */
export function createHttpServer(
  { api, webhooks, env = PLAIN }: Endpoints,
  pages: Handler | null,
): Server {
  const limit = { maxBytes: MAX_BODY_BYTES, origin: env.origin };
  const isSecure = env.origin.startsWith("https:");
  const addressOf = (request: Parameters<typeof clientAddress>[0]) =>
    clientAddress(request, env.trustedProxies);
  const answerWith = ({ fetch }: Endpoint): Handler => {
    const listener = getRequestListener(
      (request, { incoming }) => fetch(request, { address: addressOf(incoming) }),
      { overrideGlobalObjects: false },
    );
    return (request, response) => {
      for (const [name, value] of Object.entries(API_HEADERS)) response.setHeader(name, value);
      if (limitBody(request, response, limit)) void listener(request, response);
    };
  };
  const [answerApi, answerWebhook] = [answerWith(api), answerWith(webhooks)];
  return createServer((request, response) => {
    const path = request.url ?? "";
    if (isSecure) response.setHeader("strict-transport-security", HSTS);
    if (path.startsWith("/api/webhooks/")) answerWebhook(request, response);
    else if (path.startsWith("/api/v1/") || isRootDocument(path) || !pages)
      answerApi(request, response);
    else {
      request.headers[CLIENT_ADDRESS_HEADER] = addressOf(request);
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
