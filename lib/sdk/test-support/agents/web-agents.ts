import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { NextRequest } from "next/server.js";
import { PaymentMiddleware } from "../../gate/adapters/hono.ts";
import { createNextHandler } from "../../gate/adapters/next.ts";
import { buildPaymentApp } from "../../gate/app/payment-app.ts";
import type { Payment } from "../../gate/payment.ts";
import {
  AGENT_ROUTES,
  type AgentParts,
  type RunningAgent,
  runningAgent,
  toResponse,
} from "./agent.ts";

type Env = { Variables: { payment: Payment } };

export async function startHonoAgent(parts: AgentParts): Promise<RunningAgent> {
  const app = new Hono<Env>();
  app.onError((_error, c) => c.text("failed", 500));
  app.use(PaymentMiddleware(parts.payments, parts.routes, parts.options));
  for (const [method, path] of AGENT_ROUTES) {
    app.on(method, path, async (c) => {
      const { headers } = c.req.raw;
      return toResponse(
        await parts.work({ headers, text: await c.req.text(), payment: c.get("payment") }),
      );
    });
  }
  return serveWeb(app.fetch);
}

/** The app mounted in front of a Hono app's routes, as in a deployment. */
export async function startMountedApp(parts: AgentParts): Promise<RunningAgent> {
  const app = new Hono<Env>();
  app.onError((_error, c) => c.text("failed", 500));
  app.route("/", buildPaymentApp(parts.payments, parts.routes, parts.options) as never);
  for (const [method, path] of AGENT_ROUTES) {
    app.on(method, path, async (c) => {
      const { headers } = c.req.raw;
      return toResponse(
        await parts.work({ headers, text: await c.req.text(), payment: c.get("payment") }),
      );
    });
  }
  return serveWeb(app.fetch);
}

/** The app without a framework. */
export async function startPaymentApp(parts: AgentParts): Promise<RunningAgent> {
  const app = buildPaymentApp(parts.payments, parts.routes, parts.options);
  for (const [method, path] of AGENT_ROUTES) {
    app.on(method, path, async (request, { payment }) =>
      toResponse(
        await parts.work({ headers: request.headers, text: await request.text(), payment }),
      ),
    );
  }
  return serveWeb(app.fetch);
}

export async function startNextAgent(parts: AgentParts): Promise<RunningAgent> {
  const handler = createNextHandler(
    parts.payments,
    parts.routes,
    async (request: NextRequest, context: { params: Promise<object> }, payment) => {
      await context.params;
      // Only Next's class has this member.
      request.nextUrl.pathname;
      const { headers } = request;
      return toResponse(await parts.work({ headers, text: await request.text(), payment }));
    },
    parts.options,
  );
  return serveWeb(({ url, method, headers, body, signal }) =>
    handler(new NextRequest(url, { method, headers, signal, ...(body && { body }) }), {
      params: Promise.resolve({}),
    }).catch(() => new Response("failed", { status: 500 })),
  );
}

type Fetch = Parameters<typeof serve>[0]["fetch"];

function serveWeb(fetch: Fetch): Promise<RunningAgent> {
  return new Promise((resolve) => {
    // Next's class extends the platform's, so those stay in place.
    const options = { fetch, port: 0, hostname: "127.0.0.1", overrideGlobalObjects: false };
    const server = serve(options, () => resolve(runningAgent(server as Server)));
  });
}
