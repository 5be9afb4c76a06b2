import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import express from "express";
import fastify from "fastify";
import { createExpressMiddleware } from "../../gate/adapters/express.ts";
import { createFastifyHook } from "../../gate/adapters/fastify.ts";
import { createNodeListener } from "../../gate/adapters/node.ts";
import type { Payment } from "../../gate/payment.ts";
import {
  AGENT_ROUTES,
  type AgentParts,
  countConnections,
  listen,
  type Reply,
  type RunningAgent,
} from "./agent.ts";

export async function startExpressAgent(parts: AgentParts): Promise<RunningAgent> {
  const app = express();
  app.use(createExpressMiddleware(parts.payments, parts.routes, parts.options));
  app.use(express.text({ type: "*/*", limit: "1mb" }));
  for (const [method, path] of AGENT_ROUTES) {
    app[method === "GET" ? "get" : "post"](path, async (request, response) => {
      const { payment } = request as typeof request & { payment?: Payment };
      const text = typeof request.body === "string" ? request.body : "";
      const reply = await parts.work({ headers: headersOf(request), text, payment });
      const { status = 200, headers = {}, body = "" } = reply;
      response.status(status).set(headers);
      if (typeof body === "string") response.send(body);
      else {
        response.flushHeaders();
        await write(response, body);
      }
    });
  }
  app.use(((_error, _request, response, _next) => {
    if (response.headersSent) response.destroy();
    else response.status(500).send("failed");
  }) as express.ErrorRequestHandler);
  return listen(createServer(app));
}

export async function startFastifyAgent(parts: AgentParts): Promise<RunningAgent> {
  const app = fastify({ exposeHeadRoutes: true });
  app.addHook("onRequest", createFastifyHook(parts.payments, parts.routes, parts.options));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  for (const [method, url] of AGENT_ROUTES) {
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        const { payment } = request as typeof request & { payment?: Payment };
        const given = { headers: headersOf(request.raw), text: (request.body ?? "") as string };
        const { status = 200, headers = {}, body = "" } = await parts.work({ ...given, payment });
        reply.status(status).headers(headers);
        if (typeof body === "string") return reply.send(body);
        reply.hijack();
        reply.raw.writeHead(status, reply.getHeaders() as Record<string, string>);
        await write(reply.raw, body).catch(() => reply.raw.destroy());
      },
    });
  }
  app.setErrorHandler((_error, _request, reply) => reply.status(500).send("failed"));
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    origin,
    connections: countConnections(app.server),
    close: async () => {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

export async function startNodeAgent(parts: AgentParts): Promise<RunningAgent> {
  const listener = createNodeListener(
    parts.payments,
    parts.routes,
    async (request: IncomingMessage, response: ServerResponse, payment) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const reply = await parts.work({ headers: headersOf(request), text, payment });
      await answer(response, reply);
    },
    parts.options,
  );
  return listen(createServer(listener));
}

async function answer(response: ServerResponse, reply: Reply): Promise<void> {
  const { status = 200, headers = {}, body = "" } = reply;
  response.writeHead(status, headers);
  if (typeof body === "string") response.end(body);
  else await write(response, body);
}

/** Writes piece by piece at the reader's pace, as a piped stream would. */
async function write(
  response: ServerResponse,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) {
      await new Promise<void>((go) => response.once("drain", go).once("close", go));
    }
  }
  response.end();
  await finished(response).catch(() => {});
}

function headersOf({ headers }: IncomingMessage): Headers {
  const own = new Headers();
  for (const [name, value] of Object.entries(headers)) own.set(name, String(value));
  return own;
}
