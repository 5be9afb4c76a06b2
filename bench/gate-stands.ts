import { Agent, createServer, type IncomingMessage, request, type Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { createExpressMiddleware, PaymentMiddleware, Payments } from "@turnpike/payments";
import { decodePaymentRequired } from "@turnpike/payments/protocol";
import type { SchemeNetworkServer } from "@x402/core/types";
import { paymentMiddleware, x402ResourceServer } from "@x402/hono";
import express from "express";
import { Hono } from "hono";
import { ownFacilitator } from "@/lib/sandbox/foreign-agents.ts";
import { serveOn } from "@/lib/server/own-url.ts";
import type { TestMarket } from "@/lib/server/testing/test-service.ts";

/** One way to serve the same response, and a call of it, which throws if it fails. */
export type GateStand = ReturnType<typeof standOf>;

export const PATH = "/ask";
const LEASE = { credits: 10_000, seconds: 10 };
const ANSWER = { answer: 42 };

/** The same route without a gate, behind our gate on Hono and Express, and behind the stock middleware. */
export async function openStands(serviceUrl: string, market: TestMarket): Promise<GateStand[]> {
  const { builder, planId, agentId, token } = market;
  const payments = Payments.getInstance({ apiKey: builder.apiKey, baseUrl: serviceUrl });
  const routes = { [`POST ${PATH}`]: { planId, agentId } };

  const open = new Hono().post(PATH, (c) => c.json(ANSWER));
  const gated = new Hono();
  gated.use(PaymentMiddleware(payments, routes));
  gated.post(PATH, (c) => c.json(ANSWER));
  const stock = new Hono();
  stock.use(stockMiddleware(serviceUrl, market));
  stock.post(PATH, (c) => c.json(ANSWER));
  const onExpress = express();
  onExpress.use(createExpressMiddleware(payments, routes));
  onExpress.post(PATH, (_request, response) => void response.json(ANSWER));

  const leased = new Hono();
  leased.use(PaymentMiddleware(payments, routes, { lease: LEASE }));
  leased.post(PATH, (c) => c.json(ANSWER));
  const { x402 } = Payments.getInstance({
    apiKey: market.subscriber.apiKey,
    baseUrl: serviceUrl,
  });
  const lent = await x402.getX402AccessToken(planId, agentId, {
    redemptionLimit: 100_000_000,
    leaseSecs: LEASE.seconds,
  });

  const stockServer = await listen(stock);
  return [
    standOf("ungated", await listen(open), token),
    standOf("our gate, Hono", await listen(gated), token),
    standOf("our gate, leased", await listen(leased), lent.accessToken),
    standOf("our gate, Express 5", await serveOn(createServer(onExpress)), token),
    standOf("stock @x402/hono", stockServer, await mintFor(stockServer, serviceUrl, market)),
  ];
}

/** The stock middleware with our offer's terms and our facilitator. */
function stockMiddleware(serviceUrl: string, { builder, planId, agentId }: TestMarket) {
  const facilitator = ownFacilitator(serviceUrl, builder.apiKey);
  const scheme: SchemeNetworkServer = {
    scheme: "svc:erc4337",
    defaultAssetTransferMethod: "default",
    paymentFlows: { default: { supported: ["authorization"], default: "authorization" } },
    parsePrice: async () => ({ amount: "1", asset: ZERO_ADDRESS }),
    enhancePaymentRequirements: async (requirements) => ({
      ...requirements,
      planId,
      extra: { version: "1", planId, agentId, httpVerb: "POST" },
    }),
  };
  const server = new x402ResourceServer(facilitator).register("eip155:84532", scheme);
  const offer = {
    scheme: scheme.scheme,
    network: "eip155:84532",
    payTo: ZERO_ADDRESS,
    price: "1",
  } as const;
  return paymentMiddleware({ [`POST ${PATH}`]: { accepts: offer } }, server);
}

const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";

/** A token for the stock server's own offer, which it compares field by field. */
async function mintFor(
  { origin }: Listening,
  baseUrl: string,
  { subscriber, planId, agentId }: TestMarket,
): Promise<string> {
  const challenge = await fetch(`${origin}${PATH}`, { method: "POST" });
  const requirement = decodePaymentRequired(challenge.headers.get("payment-required") ?? "");
  const { x402 } = Payments.getInstance({ apiKey: subscriber.apiKey, baseUrl });
  const [accepted] = requirement?.accepts ?? [];
  const minted = await x402.getX402AccessToken(planId, agentId, {
    redemptionLimit: 1_000_000,
    ...(accepted && { accepted }),
  });
  return minted.accessToken;
}

type Listening = Awaited<ReturnType<typeof serveOn>>;

const listen = (app: Hono) => serveOn(createAdaptorServer(app) as Server);

function standOf(name: string, { origin, close }: Listening, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { "payment-signature": token, "content-type": "application/json" };
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request(`${origin}${PATH}`, { method: "POST", agent, headers }, (answer) => {
        let text = "";
        answer.on("data", (chunk) => {
          text += chunk;
        });
        answer.on("end", () => {
          const isPaid = name === "ungated" || answer.headers["payment-response"] !== undefined;
          if (answer.statusCode === 200 && isPaid) resolve();
          else
            reject(new Error(`${name} answered ${answer.statusCode}: ${reasonOf(answer, text)}`));
        });
      });
      sent.on("error", reject);
      sent.end("{}");
    });
  return {
    name,
    origin,
    token,
    ask,
    close: async () => {
      agent.destroy();
      await close();
    },
  };
}

function reasonOf({ headers }: IncomingMessage, text: string): string {
  const required = headers["payment-required"];
  return typeof required === "string" ? atob(required) : text.slice(0, 300);
}
