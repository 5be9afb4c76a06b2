import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as TcpServer } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { PaymentsError } from "@turnpike/payments/protocol";
import { CLIENT_ADDRESS_HEADER, clientAddress } from "./client-address.ts";
import { limitBody, sendRefusal } from "./limit-body.ts";
import { isRootDocument } from "./root-documents.ts";

type Endpoint = {
  fetch: (request: Request, about: { address: string }) => Response | Promise<Response>;
};
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * How long a connection may be idle. Longer than proxies and clients keep theirs, 60 s as a rule: one that ends here first cuts
 * the request that a proxy is just sending.
 */
const IDLE_MS = 75_000;
const CLOSE_GRACE_MS = 5_000;
/** How long a connection that its client keeps open may still bring a request. */
const LINGER_MS = 1_000;
const LOOK_MS = 100;

/** The responses of each server that are under way. */
const underWay = new WeakMap<Server, Set<ServerResponse>>();

/** What every answer says where the service is reached over TLS. */
export const hsts = (origin: string): Record<string, string> =>
  origin.startsWith("https:") ? { "strict-transport-security": "max-age=63072000" } : {};

/** More than any operation takes; what an answer leaves unread is cut off here. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Answers that no browser shows, runs or embeds; the pages have their own in `next.config.mjs`. */
export const API_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

type Endpoints = {
  api: Endpoint;
  webhooks: Endpoint;
  /** Answers some requests without the API; false for the others. */
  paidCalls?: (request: IncomingMessage, response: ServerResponse, address: string) => boolean;
  env?: { origin: string; trustedProxies: number };
};

const PLAIN = { origin: "", trustedProxies: 0 };

/** One port for both: `/api/v1/` and the root's documents go to the API, everything else to the pages. */
export function createHttpServer(
  { api, webhooks, paidCalls, env = PLAIN }: Endpoints,
  pages: Handler | null,
): Server {
  const limit = { maxBytes: MAX_BODY_BYTES, origin: env.origin };
  const secure = Object.entries(hsts(env.origin));
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
  const responses = new Set<ServerResponse>();
  const server = createServer({ keepAliveTimeout: IDLE_MS }, (request, response) => {
    // Proxies name the origin as well, and HTTP requires that it is read. Next would redirect such a request without end.
    const path = (request.url ?? "").replace(/^https?:\/\/[^/?#]*\/?/i, "/");
    request.url = path;
    responses.add(response);
    response.once("close", () => responses.delete(response));
    if (request.method === "TRACE" || !path.startsWith("/")) {
      response.setHeader("allow", "GET, HEAD, POST, PUT, DELETE, OPTIONS");
      const refusal = `${request.method} ${path} is not served.`;
      return sendRefusal(response, new PaymentsError("method_not_allowed", refusal), env.origin);
    }
    if (paidCalls?.(request, response, addressOf(request))) return;
    for (const [name, value] of secure) response.setHeader(name, value);
    if (path.startsWith("/api/webhooks/")) answerWebhook(request, response);
    else if (path.startsWith("/api/v1/") || isRootDocument(path) || !pages)
      answerApi(request, response);
    else {
      request.headers[CLIENT_ADDRESS_HEADER] = addressOf(request);
      pages(request, response);
    }
  });
  underWay.set(server, responses);
  return server;
}

/** Listens, or rejects with a message that says which variable to change. */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((started, failed) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const text =
        cause.code === "EADDRINUSE"
          ? `Port ${port} is taken. Set PORT to a free one.`
          : `This machine can't listen on ${host}, port ${port} (${cause.code}). Check HOST and PORT.`;
      failed(new Error(text, { cause }));
    });
    server.listen(port, host, () => started());
  });
}

/**
 * Stops listening and lets the requests under way finish for a while. A connection that a client keeps open may bring one
 * more, whose response tells the client to close it: closed by us, it would cut a request that is on its way.
 * `endStreams` ends the responses that never end on their own.
 */
export function closeServer(server: Server, endStreams = () => {}): Promise<void> {
  const end = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader("connection", "close");
  };
  return new Promise((done) => {
    let timer: NodeJS.Timeout | undefined;
    const closeIdle = () => {
      server.closeIdleConnections();
      timer = setTimeout(closeIdle, LOOK_MS);
    };
    timer = setTimeout(closeIdle, LINGER_MS);
    const late = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    // `close` of an HTTP server would end idle connections at once.
    TcpServer.prototype.close.call(server, () => {
      clearTimeout(timer);
      clearTimeout(late);
      done();
    });
    server.prependListener("request", (_, response) => end(response));
    for (const response of underWay.get(server) ?? []) end(response);
    endStreams();
  });
}
