import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Page } from "@playwright/test";
import {
  buildPaymentApp,
  createMemoryQueue,
  getFixedCreditsConfig,
  getFreePriceConfig,
  PaymentMiddleware,
} from "@turnpike/payments";
import { HTTPFacilitatorClient } from "@x402/core/http";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import express from "express";
import { Hono } from "hono";
import { agentHost, askForPayment, sendJson } from "../support/agent-servers.ts";
import { payAs } from "../support/playground.ts";
import { clientOf, readSandbox } from "../support/sandbox-file.ts";
import { signInAfresh, signInAsDemo } from "../support/sign-in.ts";
import { expect, test } from "../support/test.ts";

const MONEY_TIMEOUT_MS = 60_000;
const NETWORK = "eip155:84532";
const USDC = "0x0000000000000000000000000000000000000001";
const PAY_TO = "0x0000000000000000000000000000000000000002";
const serve = agentHost(test);

/** A Hono app as a Node listener. */
function listenerOf(app: Hono): RequestListener {
  const listen = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return (request, response) => void listen(request, response);
}

async function runAgainst(page: Page, url: string, method = "POST"): Promise<void> {
  await page.goto(`/playground?method=${method}&url=${encodeURIComponent(url)}`);
  await payAs(page, "Your account");
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-money")).toBeVisible({ timeout: MONEY_TIMEOUT_MS });
}

type Ending = {
  step: number;
  outcome: string;
  money: string;
  verdict: string | RegExp;
  /** The button, and where it leads: a URL or a check of the page. */
  action?: [label: string, leads?: string | RegExp | ((page: Page) => Promise<void>)];
};

/** Checks what the page shows about where the run ended. */
async function expectEnding(page: Page, ending: Ending): Promise<void> {
  const step = page.getByTestId(`pg-step-${ending.step}`);
  const money = page.getByTestId("pg-money");
  await expect(step).toHaveAttribute("data-outcome", ending.outcome);
  await expect(step.locator("p")).toHaveText(ending.verdict);
  await expect(money).toHaveAttribute("data-money", ending.money);
  if (!ending.action) return;
  const [label, leads] = ending.action;
  if (typeof leads === "function") {
    await money.getByRole("button", { name: label }).click();
    await leads(page);
  } else if (leads === undefined) {
    await expect(money.getByRole("button", { name: label })).toBeVisible();
  } else {
    await expect(money.getByRole("link", { name: label })).toHaveAttribute("href", leads);
  }
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const asks = (header: string | null): RequestListener => {
  const headers = header === null ? undefined : { "payment-required": header };
  return (_request, response) => response.writeHead(402, headers).end();
};
const ROUTE_CHECK = ["Open route check", /^\/doctor\?url=http/] as const;
const FIX_PROMPT = ["Copy fix prompt"] as [string];

const ROWS: (Ending & { name: string; answers: RequestListener })[] = [
  {
    name: "a plain page",
    answers: (_request, response) => response.end("<h1>Hello</h1>"),
    step: 1,
    outcome: "not-gated",
    money: "free",
    verdict: "This endpoint responded without payment. It is not gated.",
    action: [...ROUTE_CHECK],
  },
  {
    name: "authentication",
    answers: (_request, response) => response.writeHead(401).end(),
    step: 1,
    outcome: "agent-auth",
    money: "",
    verdict: "The agent requires its own authentication before payment.",
    action: [
      "Add agent auth",
      async (page) => {
        await expect(page.getByRole("tab", { name: "Auth" })).toHaveAttribute(
          "aria-selected",
          "true",
        );
      },
    ],
  },
  {
    name: "a missing page",
    answers: (_request, response) => response.writeHead(404).end(),
    step: 1,
    outcome: "ask-refused",
    money: "",
    verdict: "The agent returned 404, not 402.",
    action: [...ROUTE_CHECK],
  },
  {
    name: "a failure",
    answers: (_request, response) => response.writeHead(500).end(),
    step: 1,
    outcome: "ask-failed",
    money: "not-charged",
    verdict: "The agent failed before payment. No settlement was made.",
    action: ["Run again"],
  },
  {
    name: "a redirect, which is shown and not followed",
    answers: (_request, response) =>
      response.writeHead(308, { location: "http://127.0.0.1:9/other" }).end(),
    step: 1,
    outcome: "redirected",
    money: "",
    verdict: "The agent redirects to http://127.0.0.1:9/other. Redirects are not followed.",
    action: [
      "Use this address",
      async (page) => {
        await expect(page.getByRole("textbox", { name: "Endpoint" })).toHaveValue(
          "http://127.0.0.1:9/other",
        );
      },
    ],
  },
  {
    name: "a connection that breaks",
    answers: (request) => request.socket.destroy(),
    step: 1,
    outcome: "connection-lost",
    money: "",
    verdict: "The agent closed the connection without a response.",
    action: ["Run again"],
  },
  {
    name: "402 without an offer",
    answers: asks(null),
    step: 2,
    outcome: "offer-missing",
    money: "challenged",
    verdict: "402 without an offer. No client can pay it.",
    action: FIX_PROMPT,
  },
  {
    name: "a header that is not base64",
    answers: asks("%%"),
    step: 2,
    outcome: "offer-unreadable",
    money: "challenged",
    verdict: "The payment-required header is not base64.",
    action: FIX_PROMPT,
  },
  {
    name: "a header that is not base64-encoded JSON",
    answers: asks(Buffer.from("hello").toString("base64")),
    step: 2,
    outcome: "offer-unreadable",
    money: "challenged",
    verdict: "The payment-required header is not base64-encoded JSON.",
    action: FIX_PROMPT,
  },
  {
    name: "an offer of an unknown version",
    answers: asks(encoded({ x402Version: 3, accepts: [] })),
    step: 2,
    outcome: "offer-wrong-version",
    money: "challenged",
    verdict: "The offer uses x402 version 3. Turnpike uses version 2.",
    action: FIX_PROMPT,
  },
  {
    name: "an offer without its terms",
    answers: asks(encoded({ x402Version: 2, resource: { url: "http://127.0.0.1/ask" } })),
    step: 2,
    outcome: "offer-malformed",
    money: "challenged",
    verdict: /^The offer does not match x402 version 2: accepts: /,
    action: FIX_PROMPT,
  },
];

test("each response of a third-party agent is explained, with a working button @long", async ({
  page,
  context,
}) => {
  test.setTimeout(120_000);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signInAsDemo(page, "subscriber");
  for (const { name, answers, ...ending } of ROWS) {
    await test.step(name, async () => {
      await runAgainst(page, (await serve(answers)).ask);
      await expectEnding(page, ending);
    });
  }
});

test("a network that does not fit the scheme is flagged @long", async ({ page }) => {
  const { lab } = await readSandbox();
  const { ask: url } = await serve((request, response) =>
    askForPayment(request, response, {
      planId: lab.plans.calls ?? "",
      change: ({ accepts }) => {
        const [offer] = accepts as Record<string, unknown>[];
        Object.assign(offer ?? {}, { scheme: "svc:card-delegation", network: NETWORK });
      },
    }),
  );
  // A fresh account: other tests' orders must not change its plans.
  await signInAfresh(page);
  await runAgainst(page, url);
  await expect(page.getByTestId("pg-step-2")).toHaveAttribute("data-status", "warn");
  await expectEnding(page, {
    step: 2,
    outcome: "offer-flagged",
    money: "challenged",
    verdict: "1 offer with 1 problem. First: accepts[0].network does not fit svc:card-delegation",
  });
  const asked = page.getByTestId("pg-step-3");
  await expect(asked).toHaveAttribute("data-outcome", "not-subscribed");
});

test.describe("a plan of another service", () => {
  // The browser logs the 404 for the unknown plan.
  test.use({ mustNotComplain: false });
  test("is named, and no token is minted @long", async ({ page }) => {
    const { ask: url } = await serve((request, response) =>
      askForPayment(request, response, { planId: "77" }),
    );
    await signInAsDemo(page, "subscriber");
    await runAgainst(page, url);
    await expectEnding(page, {
      step: 3,
      outcome: "plan-unknown",
      money: "challenged",
      verdict: "The offer names plan 77, which this service does not have.",
      action: FIX_PROMPT,
    });
  });
});

test("the offer of a stock @x402/express server is decoded, not paid", async ({ page }) => {
  // The part of a third-party facilitator that the stock server needs.
  const facilitator = await serve((_request, response) => {
    const kinds = [{ x402Version: 2, scheme: "exact", network: NETWORK }];
    sendJson(response, { kinds, extensions: [], signers: {} });
  });
  const exact = {
    scheme: "exact",
    defaultAssetTransferMethod: "eip3009",
    paymentFlows: { eip3009: { supported: ["authorization"], default: "authorization" } },
    parsePrice: async () => ({ amount: "1000", asset: USDC }),
    enhancePaymentRequirements: async <T>(requirements: T) => requirements,
  };
  const server = new x402ResourceServer(
    new HTTPFacilitatorClient({ url: facilitator.url }),
  ).register(NETWORK, exact as never);
  const app = express();
  const accepts = { scheme: "exact", network: NETWORK, payTo: PAY_TO, price: "$0.001" } as const;
  app.use(paymentMiddleware({ "POST /ask": { accepts } }, server));
  app.post("/ask", (_request, response) => void response.json({ answer: 42 }));
  const { ask: url } = await serve(app);
  await signInAsDemo(page, "subscriber");
  await runAgainst(page, url);
  await expectEnding(page, {
    step: 2,
    outcome: "offer-foreign",
    money: "challenged",
    verdict: `An x402 offer for “exact”, which the playground cannot pay. It asks for 1000 of the smallest unit of asset ${USDC} on Base Sepolia.`,
  });
  await page.getByRole("button", { name: "Explain step 2, Read the offer" }).click();
  await expect(page.getByTitle(PAY_TO).first()).toBeVisible();
});

test("an app mounted in front of LangGraph's runs is paid and settled @long", async ({ page }) => {
  const sandbox = await readSandbox();
  const seller = clientOf(sandbox.lab.builder);
  const { planId } = await seller.plans.registerCreditsPlan(
    { name: "Runs" },
    getFreePriceConfig(),
    getFixedCreditsConfig(10n, 1n),
    { state: "unlisted" },
  );
  await clientOf(sandbox.subscriber).plans.orderPlan(planId);
  const gate = buildPaymentApp(
    seller,
    { "POST /runs/wait": { planId } },
    { queue: createMemoryQueue() },
  );
  // As in a deployment with `http.app`: the payment app comes first, its own routes behind it.
  const deployment = new Hono();
  deployment.route("/", gate as never);
  deployment.post("/runs/wait", (http) => http.json({ messages: [{ role: "ai", content: "42" }] }));
  const { url } = await serve(listenerOf(deployment));
  await signInAsDemo(page, "subscriber");
  await runAgainst(page, `${url}/runs/wait`);
  await expectEnding(page, {
    step: 6,
    outcome: "settled",
    money: "settled",
    verdict: "1 credit used, 9 left. The receipt matches the balance.",
    action: ["Open receipt", /^\/activity\/req_/],
  });
});

test("an MCP server is distinguished from an open endpoint @long", async ({ page }) => {
  const { ask: url } = await serve(async (request, response) => {
    const mcp = new McpServer({ name: "reader", version: "1.0.0" });
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await mcp.connect(transport as Parameters<McpServer["connect"]>[0]);
    await transport.handleRequest(request, response);
  });
  await signInAsDemo(page, "subscriber");
  await runAgainst(page, url);
  await expectEnding(page, {
    step: 1,
    outcome: "speaks-json-rpc",
    money: "free",
    verdict:
      "This is a JSON-RPC endpoint, as used by MCP and A2A servers. It requires no payment over HTTP.",
    action: [...ROUTE_CHECK],
  });
});

const chunk = Buffer.alloc(64 * 1024, "<script>alert(1)</script>");
/** Sends two gigabytes as fast as the client reads them. */
const pours: RequestListener = (_request, response) => {
  response.writeHead(200, { "content-type": "text/html", "content-length": String(2 * 1024 ** 3) });
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    response.once("drain", more);
  };
  more();
};

test("T40: a 2 GB response is cut off, and a script in it stays text", async ({ page }) => {
  await signInAsDemo(page, "subscriber");
  await runAgainst(page, (await serve(pours)).ask);
  await expectEnding(page, {
    step: 1,
    outcome: "never-ending",
    money: "free",
    verdict: /^The response was cut off: /,
    action: [...ROUTE_CHECK],
  });
  await page.getByRole("tab", { name: "Body" }).last().click();
  await expect(page.getByText("<script>alert(1)</script>").first()).toBeVisible();
});

test("an endless stream is cut off in time, and Stop ends it at once @long", async ({ page }) => {
  test.setTimeout(120_000);
  const { ask: url } = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(() => response.write("data: still here\n\n"), 500);
    response.on("close", () => clearInterval(timer));
  });
  await signInAsDemo(page, "subscriber");
  await page.goto(`/playground?method=GET&url=${encodeURIComponent(url)}`);
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-status", "running");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByTestId("pg-step-1")).not.toHaveAttribute("data-status", "running", {
    timeout: 3_000,
  });
  const since = Date.now();
  await page.getByTestId("pg-run").click();
  await expect(page.getByTestId("pg-step-1")).toHaveAttribute("data-outcome", "never-ending", {
    timeout: 75_000,
  });
  expect(Date.now() - since).toBeLessThan(70_000);
});

test("2 GB behind a gate are cut off, and what was delivered is shown as paid @long", async ({
  page,
}) => {
  test.setTimeout(90_000);
  const sandbox = await readSandbox();
  const seller = clientOf(sandbox.lab.builder);
  const { planId } = await seller.plans.registerCreditsPlan(
    { name: "Too much" },
    getFreePriceConfig(),
    getFixedCreditsConfig(10n, 1n),
    { state: "unlisted" },
  );
  await clientOf(sandbox.subscriber).plans.orderPlan(planId);
  const app = new Hono();
  app.use(PaymentMiddleware(seller, { "POST /ask": { planId } }, { queue: createMemoryQueue() }));
  app.post("/ask", () => {
    const stream = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
    return new Response(stream, { headers: { "content-type": "text/html" } });
  });
  const { ask: url } = await serve(listenerOf(app));
  await signInAsDemo(page, "subscriber");
  await runAgainst(page, url);
  await expect(page.getByTestId("pg-step-5")).toHaveAttribute("data-outcome", "answer-cut");
  await expectEnding(page, {
    step: 6,
    outcome: "settled-later",
    money: "settled",
    verdict: /^1 credit used, 9 left\. The service has the settlement/,
  });
});
