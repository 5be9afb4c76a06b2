import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import express from "express";
import { afterEach, describe, expect, test } from "vitest";
import { Payments } from "../client/payments.ts";
import { listen, type RunningAgent } from "../test-support/agents/agent.ts";
import { ADAPTERS, setStage } from "../test-support/agents/all-agents.ts";
import { ask } from "../test-support/agents/ask.ts";
import { apiKeyOf, BUILDER, createFakeService, tokenTextOf } from "../test-support/fake-service.ts";
import { createExpressMiddleware } from "./adapters/express.ts";
import { createGate } from "./gate.ts";
import { createMemoryQueue } from "./queue/memory-queue.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=b";
const multipart = (method: string) =>
  `--b\r\ncontent-disposition: form-data; name="_method"\r\n\r\n${method}\r\n--b--\r\n`;

type Sent = { query?: string; headers?: Record<string, string>; body?: string };

/** The ways in which frameworks let a request name another method. */
const WAYS: Record<string, (method: string) => Sent> = {
  "x-http-method-override": (method) => ({ headers: { "x-http-method-override": method } }),
  "x-http-method": (method) => ({ headers: { "x-http-method": method } }),
  "x-method-override": (method) => ({ headers: { "x-method-override": method } }),
  "a header in lower case": (method) => ({
    headers: { "x-http-method-override": method.toLowerCase() },
  }),
  "the query": (method) => ({ query: `?%5Fmethod=${method}` }),
  "a form": (method) => ({ headers: { "content-type": FORM }, body: `a=1&_method=${method}` }),
  "a multipart form": (method) => ({
    headers: { "content-type": MULTIPART },
    body: multipart(method),
  }),
};

const running: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ close }) => close()));
});

/** An app that runs what a request's override says, behind the gate: `ran` counts unpaid runs of gated routes. */
async function startOverriddenApp(): Promise<{ agent: RunningAgent; ran: string[] }> {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const ran: string[] = [];
  const app = express();
  const route = { planId: "42" };
  const gated = { "POST /x": route, "GET /g/:id": route };
  app.use(createExpressMiddleware(payments, gated, { report: false }));
  app.use(express.text({ type: "*/*" }));
  app.use((request, _response, next) => {
    const text = String(request.body ?? "");
    const [header] = ["x-http-method-override", "x-http-method", "x-method-override"].flatMap(
      (name) => request.headers[name] ?? [],
    );
    const form = new URLSearchParams(text).get("_method");
    const part = /name="_method"\s+(\w+)/.exec(text)?.[1];
    const named = header ?? request.query._method ?? form ?? part;
    if (named) request.method = String(named).toUpperCase();
    next();
  });
  const run = (key: string) => (_request: unknown, response: express.Response) => {
    ran.push(key);
    response.send("ran");
  };
  app.post("/x", run("POST /x"));
  app.get("/g/:id", run("GET /g/:id"));
  app.get("/free", run("GET /free"));
  const agent = await listen(createServer(app));
  running.push(agent);
  return { agent, ran };
}

const send = ({ origin }: RunningAgent, path: string, method: string, sent: Sent) =>
  fetch(`${origin}${path}${sent.query ?? ""}`, {
    method,
    headers: sent.headers ?? {},
    ...(!["GET", "HEAD"].includes(method) && sent.body !== undefined && { body: sent.body }),
  });

describe("T21: a request that names another method", () => {
  test("none of 68 runs a gated route without payment", async () => {
    const { agent, ran } = await startOverriddenApp();
    let asked = 0;
    for (const way of Object.values(WAYS)) {
      for (const method of METHODS) {
        for (const [path, aim] of [
          ["/x", "POST"],
          ["/g/1", "GET"],
        ] as const) {
          const sent = way(aim);
          const isOverride = method !== aim && (method !== "GET" || sent.body === undefined);
          if (!isOverride) continue;
          asked += 1;
          const { status } = await send(agent, path, method, sent);
          expect(status, `${method} ${path} as ${aim}`).toBe(400);
        }
      }
    }
    console.log(`method override: ${ran.length} of ${asked} ran`);
    expect([ran, asked]).toEqual([[], 68]);
  });

  test("is refused with a reason, and may do so where nothing is gated", async () => {
    const { agent, ran } = await startOverriddenApp();
    const headers = { "x-http-method-override": "POST" };
    const refused = await send(agent, "/x", "GET", { headers });
    expect([refused.status, (await refused.json()).reason]).toEqual([400, "method override"]);
    const free = { "x-http-method-override": "GET" };
    expect((await send(agent, "/free", "POST", { headers: free })).status).toBe(200);
    expect(ran).toEqual(["GET /free"]);
  });

  test.each([
    [
      "too long to be read for it passes where no other method of its path is gated",
      "POST /x",
      200,
    ],
    ["that is compressed is refused where another one is", "PUT /x", 400],
  ])("a form %s", async (_what, key, status) => {
    const payments = Payments.getInstance({
      apiKey: apiKeyOf(BUILDER),
      fetch: createFakeService().fetch,
    });
    const queue = createMemoryQueue();
    const gate = createGate(payments, { [key]: { planId: "42" } }, { queue, report: false });
    const isLong = status === 200;
    const request = new Request("http://agent.test/x", {
      method: "POST",
      headers: {
        "payment-signature": tokenTextOf("42"),
        "content-type": isLong ? MULTIPART : FORM,
        ...(!isLong && { "content-encoding": "gzip" }),
      },
      body: isLong ? "x".repeat(2_000_000) : gzipSync("_method=PUT"),
    });
    expect((await gate(request, () => new Response("ran"))).status).toBe(status);
  });

  test("a form without it reaches an ungated method of the path whole", async () => {
    const stage = await setStage("Express 5");
    running.push(stage);
    const headers = { "content-type": FORM };
    const answer = await ask(stage.origin, "/ask", { headers, body: "a=1&b=2" });
    expect([answer.status, stage.asked[0]?.text]).toEqual([200, "a=1&b=2"]);
  });

  test.each(Object.keys(ADAPTERS))("is refused behind %s", async (adapter) => {
    const stage = await setStage(adapter);
    running.push(stage);
    for (const way of Object.values(WAYS)) {
      const { query = "", ...sent } = way("GET");
      const answer = await ask(stage.origin, `/ask${query}`, sent);
      expect(answer.status).toBe(400);
    }
    expect([stage.asked, stage.service.called("verify")]).toEqual([[], []]);
  });
});
