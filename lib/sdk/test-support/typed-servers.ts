import { createServer } from "node:http";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import type { NextRequest } from "next/server.js";
import {
  buildPaymentApp,
  createExpressMiddleware,
  createFastifyHook,
  createNextHandler,
  createNodeListener,
  type Payment,
  PaymentMiddleware,
  type Payments,
  type PaymentVariables,
} from "../index.ts";

// As the README tells its readers to.
declare global {
  namespace Express {
    interface Request {
      payment?: Payment;
    }
  }
}
declare module "fastify" {
  interface FastifyRequest {
    payment?: Payment;
  }
}

/** Each adapter in its framework's own types, where the examples are JavaScript: compiled by `npm run check`, never run. */
export function typedServers(payments: Payments) {
  const routes = { "POST /ask": { planId: "42", credits: 2 } };
  const hono = new Hono<{ Variables: PaymentVariables }>();
  hono.use(PaymentMiddleware(payments, routes));
  hono.post("/ask", (c) => c.json({ payer: c.get("payment")?.payer }));

  const app = express();
  app.use(createExpressMiddleware(payments, routes));
  app.post("/ask", (request, response) => {
    response.json({ payer: request.payment?.payer });
  });

  const server = fastify();
  server.addHook("onRequest", createFastifyHook(payments, routes));
  server.post("/ask", async (request) => {
    return { payer: request.payment?.payer };
  });

  const node = createServer(
    createNodeListener(payments, routes, (_request, response, payment) => {
      response.end(payment?.payer);
    }),
  );
  const next = createNextHandler(payments, routes, (request: NextRequest, _context, payment) =>
    Response.json({ path: request.nextUrl.pathname, payer: payment?.payer }),
  );
  const plain = buildPaymentApp(payments, routes);
  plain.post("/ask", (_request, { payment }) => Response.json({ payer: payment?.payer }));
  return { hono, app, server, node, next, plain };
}
