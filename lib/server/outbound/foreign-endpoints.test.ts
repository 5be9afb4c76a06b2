import type { RequestListener, ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createSocketServer } from "node:net";
import { gzipSync } from "node:zlib";
import { getRequestListener } from "@hono/node-server";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { encodeHeader } from "@turnpike/payments/protocol";
import { HTTPFacilitatorClient } from "@x402/core/http";
import {
  x402ResourceServer as ExpressResourceServer,
  paymentMiddleware as expressPaymentMiddleware,
} from "@x402/express";
import { paymentMiddleware, x402ResourceServer } from "@x402/hono";
import express from "express";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { connectByTcp } from "@/lib/adapters/outbound/open-socket.ts";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import { listen, OPEN } from "@/lib/adapters/outbound/testing/outbound-bench.ts";
import { selfSigned } from "@/lib/adapters/outbound/testing/self-signed.ts";
import { bannerOf } from "@/lib/playground/banner.ts";
import { runPlayground } from "@/lib/playground/engine.ts";
import type { OutcomeCode } from "@/lib/playground/outcomes.ts";
import type { PlaygroundService } from "@/lib/playground/ports.ts";
import type { Run } from "@/lib/playground/run.ts";
import { sendForPlayground } from "./playground-send.ts";
import { visitorOutbound } from "./visitor-outbound.ts";

const NETWORK = "eip155:84532";
const USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const PAY_TO = "0x0000000000000000000000000000000000000002";
/** Long enough for every endpoint that answers. */
const LIMIT_SECS = 10;
/** For those that never do. */
const SHORT_SECS = 0.3;

type Server = Awaited<ReturnType<typeof listen>>;
const servers: Server[] = [];
/** What stock servers ask when they start; not what the playground calls. */
const facilitators: Server[] = [];
/** Where the guard connected, in order. */
const connected: string[] = [];

const guard = createOutbound({
  policy: OPEN,
  userAgent: "Test/1",
  connect: (place, signal) => {
    connected.push(`${place.address}:${place.port}`);
    return connectByTcp(place, signal);
  },
  async resolve(host) {
    if (host === "rebound.example") return ["10.0.0.5"];
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" });
  },
});
const outbound = visitorOutbound(guard);

/** The service as someone without an account has it: plans can be read, and nothing else. */
const never = () => Promise.reject(new Error("A visitor may not call this."));
const visitor: PlaygroundService = {
  account: null,
  readPlan: async (planId) =>
    (planId === "7"
      ? {
          metadata: {
            main: { name: "Starter" },
            plan: { orderCost: { currency: "usd", cents: "500" } },
          },
          registry: {
            price: { amounts: ["5000000"], isCrypto: true, currency: "USDC" },
            credits: { amount: "100", minAmount: "1", maxAmount: "1" },
          },
        }
      : null) as never,
  readBalance: never,
  mint: never,
  dryVerify: never,
  findRequest: never,
  end: async () => null,
};

async function serve(handle: Parameters<typeof listen>[0]): Promise<string> {
  const server = await listen(handle);
  servers.push(server);
  return `${server.url}/ask`;
}

async function play(url: string, { method = "POST", limitSecs = LIMIT_SECS } = {}): Promise<Run> {
  const events = runPlayground({
    input: {
      method,
      url,
      headers: [],
      body: method === "POST" ? "{}" : null,
      token: { kind: "test" },
    },
    service: visitor,
    signal: new AbortController().signal,
    async transport(request, { signal }) {
      const sending = { outbound, account: "visitor 192.0.2.1", request, signal, limitSecs };
      for await (const event of sendForPlayground(sending)) {
        if (event.type === "done") return { request, ...event.exchange };
      }
      throw new Error("The request had no end.");
    },
  });
  for (;;) {
    const { value, done } = await events.next();
    if (done) return value;
  }
}

const answer =
  (status: number, body = "", headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);
const asks = (header: string) => answer(402, "{}", { "payment-required": header });
const json = { "content-type": "application/json" };

/** The part of a third-party facilitator that stock servers need. */
async function stockParts() {
  const kinds = [{ x402Version: 2, scheme: "exact", network: NETWORK }];
  const facilitator = await listen(
    answer(200, JSON.stringify({ kinds, extensions: [], signers: {} }), json),
  );
  facilitators.push(facilitator);
  const scheme = {
    scheme: "exact",
    defaultAssetTransferMethod: "eip3009",
    paymentFlows: { eip3009: { supported: ["authorization"], default: "authorization" } },
    parsePrice: async () => ({ amount: "1000", asset: USDC }),
    enhancePaymentRequirements: async <T>(requirements: T) => requirements,
  } as never;
  const accepts = { scheme: "exact", network: NETWORK, payTo: PAY_TO, price: "$0.001" } as const;
  const client = new HTTPFacilitatorClient({ url: facilitator.url });
  return { client, scheme, routes: { "POST /ask": { accepts } } };
}

async function stockExpress(): Promise<string> {
  const { client, scheme, routes } = await stockParts();
  const app = express();
  const server = new ExpressResourceServer(client).register(NETWORK, scheme);
  app.use(expressPaymentMiddleware(routes, server));
  app.post("/ask", (_request, response) => void response.json({ answer: 42 }));
  return serve(app);
}

async function stockHono(): Promise<string> {
  const { client, scheme, routes } = await stockParts();
  const app = new Hono();
  app.use(paymentMiddleware(routes, new x402ResourceServer(client).register(NETWORK, scheme)));
  app.post("/ask", (c) => c.json({ answer: 42 }));
  const handle = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return serve((request, response) => void handle(request, response));
}

const VERSION_1 = JSON.stringify({
  x402Version: 1,
  error: "X-PAYMENT header is required",
  accepts: [
    {
      scheme: "exact",
      network: "base-sepolia",
      maxAmountRequired: "10000",
      asset: USDC,
      payTo: PAY_TO,
    },
  ],
});
const OFFER = {
  x402Version: 2,
  resource: { url: "http://127.0.0.1/ask" },
  accepts: [
    { scheme: "svc:erc4337", network: NETWORK, planId: "7", amount: "1", extra: { planId: "7" } },
  ],
};
const CARD = JSON.stringify({
  name: "Reader",
  url: "https://reader.example/a2a",
  skills: [{ id: "read", name: "Read" }],
});

const mcp: RequestListener = async (request, response) => {
  const server = new McpServer({ name: "reader", version: "1.0.0" });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport as Parameters<McpServer["connect"]>[0]);
  await transport.handleRequest(request, response);
};
const streams: RequestListener = (_request, response: ServerResponse) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const timer = setInterval(() => response.write("data: still here\n\n"), 20);
  response.on("close", () => clearInterval(timer));
};
const plainText = () =>
  createSocketServer((socket) => socket.resume().end("220 mail.example ready\r\n"));
const silentClose: RequestListener = (request) => request.socket.destroy();

async function closedPort(): Promise<string> {
  const server = await listen(answer(200));
  await server.close();
  return `${server.url}/ask`;
}

async function selfSignedTls(): Promise<string> {
  const url = await serve(createSecureServer(selfSigned("127.0.0.1"), answer(200)));
  return url.replace("http:", "https:");
}

type Row = {
  kind: string;
  url: () => Promise<string>;
  outcome: OutcomeCode;
  /** The payment status, or the badge in its place. */
  badge: string;
  says: RegExp;
  method?: string;
  limitSecs?: number;
};
const at =
  (handle: Parameters<typeof serve>[0]): Row["url"] =>
  () =>
    serve(handle);
const named = (url: string) => async () => url;

const ROWS: Row[] = [
  {
    kind: "a stock @x402/express server",
    url: stockExpress,
    outcome: "offer-foreign",
    badge: "challenged",
    says: /cannot pay\. It asks for 0\.001 USDC on Base Sepolia\./,
  },
  {
    kind: "a stock @x402/hono server",
    url: stockHono,
    outcome: "offer-foreign",
    badge: "challenged",
    says: /0\.001 USDC on Base Sepolia/,
  },
  {
    kind: "x402 version 1, whose offer is the body",
    url: at(answer(402, VERSION_1, json)),
    outcome: "offer-version-1",
    badge: "challenged",
    says: /version 1, which is read and not paid\. It asks for 0\.01 USDC on Base Sepolia\./,
  },
  {
    kind: "a compressed 402",
    url: at(answer(402, gzipSync(VERSION_1) as never, { ...json, "content-encoding": "gzip" })),
    outcome: "offer-version-1",
    badge: "challenged",
    says: /0\.01 USDC/,
  },
  {
    kind: "an agent behind our gate, without CORS headers",
    url: at(asks(encodeHeader(OFFER))),
    outcome: "sign-in-needed",
    badge: "challenged",
    says: /^This call costs 1 credit of “Starter”, which sells 100 credits for 5\.00 USDC\. Sign in/,
  },
  {
    kind: "a plan of another service",
    url: at(asks(encodeHeader({ ...OFFER, accepts: [{ ...OFFER.accepts[0], planId: "8" }] }))),
    outcome: "sign-in-needed",
    badge: "challenged",
    says: /1 credit of plan 8/,
  },
  {
    kind: "an open endpoint",
    url: at(answer(200, '{"ok":true}', json)),
    outcome: "not-gated",
    badge: "free",
    says: /without payment/,
  },
  {
    kind: "an HTML page",
    url: at(answer(200, "<h1>Hi</h1>", { "content-type": "text/html" })),
    outcome: "not-gated",
    badge: "free",
    says: /without payment/,
  },
  {
    kind: "401",
    url: at(answer(401)),
    outcome: "agent-auth",
    badge: "Auth required",
    says: /own authentication/,
  },
  {
    kind: "403",
    url: at(answer(403)),
    outcome: "agent-auth",
    badge: "Auth required",
    says: /own authentication/,
  },
  {
    kind: "404",
    url: at(answer(404)),
    outcome: "ask-refused",
    badge: "404",
    says: /returned 404, not 402/,
  },
  {
    kind: "500",
    url: at(answer(500)),
    outcome: "ask-failed",
    badge: "not-charged",
    says: /failed before payment/,
  },
  {
    kind: "a redirect",
    url: at(answer(308, "", { location: "http://10.0.0.9/ask" })),
    outcome: "redirected",
    badge: "Redirect",
    says: /redirects to http:\/\/10\.0\.0\.9\/ask/,
  },
  {
    kind: "402 without an offer",
    url: at(answer(402, "Pay me", {})),
    outcome: "offer-missing",
    badge: "challenged",
    says: /No client can pay it/,
  },
  {
    kind: "402 as an HTML page",
    url: at(answer(402, "<h1>Pay</h1>", { "content-type": "text/html" })),
    outcome: "offer-missing",
    badge: "challenged",
    says: /No client can pay it/,
  },
  {
    kind: "a header that is not base64",
    url: at(asks("%%")),
    outcome: "offer-unreadable",
    badge: "challenged",
    says: /not base64/,
  },
  {
    kind: "an offer without terms",
    url: at(asks(encodeHeader({ x402Version: 2 }))),
    outcome: "offer-malformed",
    badge: "challenged",
    says: /does not match/,
  },
  {
    kind: "a huge header",
    url: at(answer(402, "", { "x-huge": "y".repeat(80_000) })),
    outcome: "headers-too-large",
    badge: "Headers too large",
    says: /too large to read/,
  },
  {
    kind: "an agent that never answers",
    url: at(() => {}),
    limitSecs: SHORT_SECS,
    outcome: "too-slow",
    badge: "Timed out",
    says: /longer than your time limit of 0\.3 s/,
  },
  {
    kind: "an endless stream",
    url: at(streams),
    limitSecs: SHORT_SECS,
    outcome: "never-ending",
    badge: "free",
    says: /cut off/,
  },
  {
    kind: "an MCP server",
    url: at(mcp),
    outcome: "speaks-json-rpc",
    badge: "free",
    says: /JSON-RPC endpoint/,
  },
  {
    kind: "an A2A agent card",
    url: at(answer(200, CARD, json)),
    method: "GET",
    outcome: "agent-card",
    badge: "A2A agent card",
    says: /called at https:\/\/reader\.example\/a2a/,
  },
  {
    kind: "a private address",
    url: named("http://10.0.0.1/ask"),
    outcome: "not-sent",
    badge: "Address blocked",
    says: /10\.0\.0\.1 is not on the public internet/,
  },
  {
    kind: "a cloud's metadata address",
    url: named("http://169.254.169.254/latest/"),
    outcome: "not-sent",
    badge: "Address blocked",
    says: /not on the public internet/,
  },
  {
    kind: "a public name of a private address",
    url: named("http://rebound.example/ask"),
    outcome: "not-sent",
    badge: "Address blocked",
    says: /not on the public internet/,
  },
  {
    kind: "an unknown host",
    url: named("https://nowhere.example/ask"),
    outcome: "name-unknown",
    badge: "Host not found",
    says: /nowhere\.example does not exist/,
  },
  {
    kind: "a self-signed certificate",
    url: selfSignedTls,
    outcome: "tls-invalid",
    badge: "TLS error",
    says: /^The TLS connection to 127\.0\.0\.1 failed: .*self.signed/i,
  },
  {
    kind: "a closed port",
    url: closedPort,
    outcome: "unreachable",
    badge: "Unreachable",
    says: /refused the connection/,
  },
  {
    kind: "a server that does not speak HTTP",
    url: at(plainText() as never),
    outcome: "not-http",
    badge: "Not HTTP",
    says: /not valid HTTP/,
  },
  {
    kind: "a connection that breaks",
    url: at(silentClose),
    outcome: "connection-lost",
    badge: "Connection lost",
    says: /closed the connection/,
  },
  {
    kind: "a URL that is not HTTP",
    url: named("file:///etc/passwd"),
    outcome: "request-blocked",
    badge: "Not sent",
    says: /file: URLs are not supported/,
  },
];

describe("the playground without an account, against foreign endpoints", () => {
  const fetched: string[] = [];
  beforeAll(() => {
    const real = globalThis.fetch;
    vi.stubGlobal("fetch", (...given: Parameters<typeof fetch>) => {
      fetched.push(String(given[0]));
      return real(...given);
    });
  });
  afterAll(async () => {
    vi.unstubAllGlobals();
    await Promise.all([...servers, ...facilitators].map(({ close }) => close()));
  });

  test.each(ROWS)("$kind is explained as $outcome", async (row) => {
    const url = await row.url();
    const { method, limitSecs } = row;
    const run = await play(url, { ...(method && { method }), ...(limitSecs && { limitSecs }) });
    const { money, badge, sentence } = bannerOf(run);
    const deciding = run.steps.findLast(
      ({ outcome }) => outcome !== null && outcome !== "not-asked",
    );
    expect({ outcome: deciding?.outcome, badge: money ?? badge?.word }).toEqual({
      outcome: row.outcome,
      badge: row.badge,
    });
    expect(sentence).toMatch(row.says);
  });

  test("T37: every connection was made by the guard, and none to a private address", () => {
    const ours = new Set(facilitators.map(({ url }) => url));
    expect(fetched.filter((url) => !ours.has(new URL(url).origin))).toEqual([]);
    const reached = servers.reduce((sum, server) => sum + server.connections(), 0);
    const refused = ROWS.filter(({ outcome }) => outcome === "unreachable").length;
    expect(connected.length - refused).toBe(reached);
    expect(connected.every((place) => place.startsWith("127.0.0.1:"))).toBe(true);
    console.log(
      `foreign endpoints: ${ROWS.length} kinds, ${connected.length} connections by the guard, ${reached + refused - connected.length} outside it`,
    );
  });
});
