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
} from "../index.ts";

/** Each adapter in its framework's own types, where the examples are JavaScript: compiled by `npm run check`, never run. */
export function typedServers(payments: Payments) {
  const routes = { "POST /ask": { planId: "42", credits: 2 } };
  const hono = new Hono<{ Variables: { payment: Payment } }>();
  hono.use(PaymentMiddleware(payments, routes));
  hono.post("/ask", (c) => c.json({ payer: c.get("payment").payer }));

  const app = express();
  app.use(createExpressMiddleware(payments, routes));
  app.post("/ask", (request, response) => {
    const { payment } = request as typeof request & { payment: Payment };
    response.json({ payer: payment.payer });
  });

  const server = fastify();
  server.addHook("onRequest", createFastifyHook(payments, routes));
  server.post("/ask", async (request) => {
    const { payment } = request as typeof request & { payment: Payment };
    return { payer: payment.payer };
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
