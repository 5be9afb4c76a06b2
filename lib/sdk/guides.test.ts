import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  type TestMarket,
  type TestParty,
} from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import type { KeyPreset } from "./protocol/key-rights.ts";
import { getDynamicCreditsConfig } from "./protocol/plans/credits-builders.ts";
import { listen } from "./test-support/agents/agent.ts";
import { type ServedService, serveTestService } from "./test-support/served-service.ts";

const run = promisify(execFile);
const README = readFileSync("lib/sdk/README.md", "utf8");
/** Guides have two-word names; one-word names are the servers' examples. */
const GUIDES = new Map(
  Array.from(
    README.matchAll(/```js[\w ]* file=(\w+(?:-\w+)+\.mjs)\n([\s\S]*?)```/g),
    ([, name = "", code = ""]) => [name, code],
  ),
);

let database: Database;
let served: ServedService;
let market: TestMarket;
let keys: { buyer: string; gate: string };
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  database = await openRuleStore();
  served = await serveTestService(database);
  market = await createMarket(served.service, { credits: getDynamicCreditsConfig(100n, 1n, 10n) });
  // The narrowest keys that the guides' words promise to be enough.
  const keyOf = async ({ payments }: TestParty, preset: KeyPreset) =>
    (await payments.apiKeys.createApiKey({ name: preset, preset })).apiKey;
  keys = {
    buyer: await keyOf(market.subscriber, "buyer"),
    gate: await keyOf(market.builder, "gate"),
  };
  // Next to the package, so that other packages resolve; its entry points resolve to their sources.
  folder = resolve(mkdtempSync("lib/sdk/.readme-"));
  for (const [name, code] of GUIDES) {
    const own = code.replace(
      /"@turnpike\/payments(\/\w+)?"/g,
      (_whole, part = "") => `"${resolve("lib/sdk")}${part}/index.ts"`,
    );
    writeFileSync(join(folder, name), own);
  }
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await served.close();
  await database.close();
});

const settings = (apiKey: string, more: Record<string, string> = {}) => ({
  ...process.env,
  NODE_OPTIONS: `--import ${pathToFileURL(resolve("scripts/typescript.mjs")).href}`,
  TURNPIKE_API_KEY: apiKey,
  TURNPIKE_PLAN_ID: market.planId,
  TURNPIKE_URL: served.origin,
  ...more,
});

/** Runs a guide that is a client, and reads what it prints. */
async function call(name: string, more: Record<string, string> = {}) {
  const options = { cwd: folder, env: settings(keys.buyer, more), timeout: 50_000 };
  const { stdout } = await run(process.execPath, [name], options);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Starts a guide that is a server, and waits until it answers. */
async function start(name: string, more: Record<string, string> = {}): Promise<string> {
  const { origin: own, close } = await listen(createServer());
  await close();
  const { port } = new URL(own);
  const env = settings(keys.gate, { PORT: port, ...more });
  const stdio: ["ignore", "inherit", "inherit"] = ["ignore", "inherit", "inherit"];
  const child = spawn(process.execPath, [name], { cwd: folder, env, stdio });
  children.push(child);
  const origin = `http://localhost:${port}`;
  for (let tries = 0; tries < 300; tries++) {
    if (await fetch(origin).catch(() => null)) return origin;
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}.`);
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`${name} does not answer.`);
}

const RECEIPT = { success: true, extra: { creditsRedeemed: "2" } };

test("there is a guide for each side of each transport", () => {
  expect([...GUIDES.keys()]).toEqual([
    "mcp-server.mjs",
    "mcp-client.mjs",
    "a2a-server.mjs",
    "a2a-client.mjs",
    "x402-server.mjs",
    "x402-client.mjs",
    "traces-and-metrics.mjs",
  ]);
});

test("the guides for MCP: a client pays a tool", async () => {
  expect(await call("mcp-client.mjs", { SERVER_API_KEY: keys.gate })).toMatchObject({
    content: [{ type: "text", text: "8" }],
    receipt: RECEIPT,
  });
}, 60_000);

test("the guides for A2A: a client pays a message", async () => {
  const AGENT_URL = await start("a2a-server.mjs");
  const { result, receipt } = await call("a2a-client.mjs", { AGENT_URL });
  expect(receipt).toMatchObject(RECEIPT);
  expect(JSON.stringify(result)).toContain(`Thank you, ${market.subscriber.address}.`);
}, 60_000);

longTest(
  "the guides for stock x402: a stock client pays a stock server",
  async () => {
    const AGENT_URL = await start("x402-server.mjs");
    const paid = await call("x402-client.mjs", { AGENT_URL });
    expect(paid).toMatchObject({ status: 200, answer: '{"answer":42}', receipt: RECEIPT });
  },
  60_000,
);

longTest(
  "the guide for a stock client prints what an answer without a receipt says",
  async () => {
    const agent = createServer((_request, response) =>
      response.writeHead(500).end("Out of order."),
    );
    const { origin: AGENT_URL, close } = await listen(agent);
    const answered = await call("x402-client.mjs", { AGENT_URL });
    await close();
    expect(answered).toEqual({ status: 500, answer: "Out of order.", receipt: null });
  },
  60_000,
);

longTest(
  "the guide for traces and metrics: a paid call is traced and counted",
  async () => {
    const posts: (string | undefined)[] = [];
    const collector = createServer((request, response) => {
      posts.push(request.url);
      request.resume().on("end", () => response.end("{}"));
    });
    const { origin, close } = await listen(collector);
    const AGENT_URL = await start("traces-and-metrics.mjs", {
      TURNPIKE_TRACING: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: origin,
      OTEL_BSP_SCHEDULE_DELAY: "100",
    });
    const paid = await call("x402-client.mjs", { AGENT_URL });
    expect(paid).toMatchObject({ receipt: RECEIPT });
    const text = await (await fetch(`${AGENT_URL}/metrics`)).text();
    expect(text).toMatch(/turnpike_gate_requests_total\{.*money_status="settled".*\} 1/);
    await expect.poll(() => posts, { timeout: 5_000 }).toContain("/v1/traces");
    await close();
  },
  60_000,
);
