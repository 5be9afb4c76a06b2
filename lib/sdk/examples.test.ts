import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { NextRequest } from "next/server.js";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { bundled } from "../testing/bundled.ts";
import { freePort } from "../testing/free-port.ts";
import { inFull } from "../testing/in-full.ts";
import { listen, type RunningAgent } from "./test-support/agents/agent.ts";
import { ask } from "./test-support/agents/ask.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  SUBSCRIBER,
  tokenTextOf,
} from "./test-support/fake-service.ts";

const README = readFileSync("lib/sdk/README.md", "utf8");
const EXAMPLES = new Map(
  Array.from(
    README.matchAll(/```js[\w ]* file=(\w+)\.mjs\n([\s\S]*?)```/g),
    ([, name = "", code = ""]) => [name, code],
  ),
);

const service = createFakeService();
let folder: string;
let served: RunningAgent;
const children: ChildProcess[] = [];

beforeAll(async () => {
  // Next to the package, so that the frameworks resolve; its name resolves to its source.
  folder = mkdtempSync("lib/sdk/.readme-");
  for (const [name, code] of EXAMPLES) {
    const own = code.replace('"@turnpike/payments"', `"${bundled("lib/sdk/index.ts")}"`);
    writeFileSync(join(folder, `${name}.mjs`), own);
  }
  served = await listen(serveFake());
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await served.close();
});

/** The fake service, on a port. */
function serveFake(): Server {
  return createServer(async (incoming, outgoing) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = "GET", url = "/" } = incoming;
    const body = method === "GET" ? undefined : Buffer.concat(chunks).toString();
    const answer = await service.fetch(`http://service.test${url}`, {
      method,
      ...(body && { body }),
    });
    outgoing.writeHead(answer.status, { "content-type": "application/json" });
    outgoing.end(await answer.text());
  });
}

const settings = (port: number) => ({
  TURNPIKE_API_KEY: apiKeyOf(BUILDER),
  TURNPIKE_PLAN_ID: "42",
  TURNPIKE_URL: served.origin,
  PORT: String(port),
});

function setEnvironment(variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

/** Runs an example as its reader would, until it answers. */
async function start(name: string): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(folder, `${name}.mjs`)], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...settings(port) },
  });
  children.push(child);
  const origin = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 200; tries++) {
    if (await fetch(origin).catch(() => null)) return origin;
    if (child.exitCode !== null) throw new Error(`${name}.mjs ended with ${child.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${name}.mjs does not answer.`);
}

test("there is an example for every server, and one for a buyer", () => {
  expect([...EXAMPLES.keys()]).toEqual([
    "agent",
    "hono",
    "express",
    "fastify",
    "node",
    "next",
    "app",
    "buyer",
  ]);
});

test.each(inFull(["hono", "express", "fastify", "node", "app"], ["hono", "node"]))(
  "the example for %s asks for payment and is paid",
  async (name) => {
    const origin = await start(name);
    expect((await ask(origin, "/ask", { token: null })).status).toBe(402);
    // No route names it, so the gate lets it pass: the example must not work for it.
    expect((await fetch(`${origin}/ask`, { method: "PUT" })).ok).toBe(false);
    const answer = await ask(origin, "/ask");
    expect(answer.json()).toEqual({ answer: 42, payer: SUBSCRIBER });
    expect(answer.receipt()).toMatchObject({ success: true, creditsRedeemed: "2" });
  },
  60_000,
);

test("the example for a buyer pays an agent", async () => {
  const origin = await start("hono");
  setEnvironment({ ...settings(0), TURNPIKE_API_KEY: apiKeyOf(SUBSCRIBER) });
  const buyer = await import(pathToFileURL(join(process.cwd(), folder, "buyer.mjs")).href);
  expect(await buyer.ask(`${origin}/ask`)).toEqual({ answer: 42, payer: SUBSCRIBER });
}, 60_000);

test("the example for Next asks for payment and is paid", async () => {
  setEnvironment(settings(0));
  const { POST } = await import(pathToFileURL(join(process.cwd(), folder, "next.mjs")).href);
  const url = "http://agent.test/ask";
  const context = { params: Promise.resolve({}) };
  expect((await POST(new NextRequest(url, { method: "POST" }), context)).status).toBe(402);
  const headers = { "payment-signature": tokenTextOf("42") };
  const answer = await POST(new NextRequest(url, { method: "POST", headers }), context);
  expect(await answer.json()).toEqual({ answer: 42, payer: SUBSCRIBER });
});
