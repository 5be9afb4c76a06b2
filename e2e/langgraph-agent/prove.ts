// Boots a real LangGraph server with our app mounted and pays its runs:
// node --import ./scripts/typescript.mjs e2e/langgraph-agent/prove.ts
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { copyFile, cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Payments } from "@turnpike/payments";
import { getDynamicCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { serveTestService } from "@/lib/sdk/test-support/served-service.ts";
import { freePort } from "@/lib/testing/free-port.ts";
import { playRun } from "./play-run.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const fixture = fileURLToPath(new URL(".", import.meta.url));
// The server names one SDK as an optional peer, and the library brings another.
const QUIET = ["--prefer-offline", "--no-audit", "--no-fund", "--legacy-peer-deps"];

/** The fixture with its packages and ours, as a user's project would have them. */
async function install(folder: string): Promise<void> {
  for (const name of ["package.json", "package-lock.json", "langgraph.json"]) {
    await copyFile(join(fixture, name), join(folder, name));
  }
  await cp(join(fixture, "src"), join(folder, "src"), { recursive: true });
  await run("npm", ["ci", ...QUIET], { cwd: folder });
  await run("npm", ["pack", "--pack-destination", folder], { cwd: join(repository, "lib/sdk") });
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) as string;
  await run("npm", ["install", "--no-save", ...QUIET, `./${tarball}`], { cwd: folder });
}

/** Starts the deployment in a separate process group, and waits until it answers. */
async function boot(folder: string, env: Record<string, string>) {
  const port = await freePort();
  const cli = join(folder, "node_modules/.bin/langgraphjs");
  const child = spawn(cli, ["dev", "--port", String(port), "--no-browser"], {
    cwd: folder,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  const origin = `http://localhost:${port}`;
  for (let tries = 0; tries < 300; tries++) {
    if ((await fetch(`${origin}/ok`).catch(() => null))?.ok)
      return { child, origin, said: () => said };
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  stop(child);
  throw new Error(`The LangGraph server did not start:\n${said}`);
}

function stop(child: ChildProcess): void {
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
}

const json = (body: unknown) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-langgraph-"));
  const spansFile = join(folder, "spans.jsonl");
  const database = await openDatabase({});
  const served = await serveTestService(database);
  let child: ChildProcess | undefined;
  let said = () => "";
  let checks = 0;
  const check = async (what: string, holds: () => Promise<void>) => {
    await holds().catch((cause) => {
      throw new Error(`${what}\n${said()}`, { cause });
    });
    checks += 1;
    console.log(`  ok  ${what}`);
  };
  try {
    await install(folder);
    const [builder, subscriber] = await Promise.all([
      served.service.party(),
      served.service.party(),
    ]);
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Runs" },
      getFreePriceConfig(),
      getDynamicCreditsConfig(100n, 1n, 10n),
    );
    await subscriber.payments.plans.orderPlan(planId);
    const agent = await boot(folder, {
      TURNPIKE_API_KEY: builder.apiKey,
      TURNPIKE_PLAN_ID: planId,
      TURNPIKE_URL: served.origin,
      TURNPIKE_TRACING: "true",
      SPANS_FILE: spansFile,
    });
    ({ child, said } = agent);
    const { origin } = agent;
    const payments = Payments.getInstance({ apiKey: subscriber.apiKey, baseUrl: served.origin });
    const balance = async () => (await payments.plans.getPlanBalance(planId)).balance;
    const asked = { assistant_id: "agent", input: { text: "one two three" } };

    /** Without a token it is 402 and free; with one it returns the run's answer and is charged. */
    const isGated = async (path: string, credits: bigint) => {
      const before = await balance();
      const refused = await fetch(`${origin}${path}`, json(asked));
      assert.equal(refused.status, 402);
      assert.ok(refused.headers.get("payment-required"));
      assert.equal(await balance(), before);
      const { response, receipt } = await payments.fetch(`${origin}${path}`, json(asked));
      assert.equal(response.status, 200);
      assert.equal((await response.json()).words, 3);
      assert.equal(await balance(), before - credits);
      // In the answer's header, where fetch can read it, and not in a trailer.
      assert.equal(receipt?.success, true);
    };
    const emptied = { ...asked, input: { text: "" } };

    await check("POST /runs/wait is gated", async () => {
      await isGated("/runs/wait", 2n);
    });
    const thread = await (await fetch(`${origin}/threads`, json({}))).json();
    await check("POST /threads/:id/runs/wait is gated, making the thread is not", async () => {
      assert.ok(thread.thread_id);
      await isGated(`/threads/${thread.thread_id}/runs/wait`, 3n);
    });
    const runs = `/threads/${thread.thread_id}/runs`;
    await check("an ungated streaming route streams", async () => {
      const { run_id } = await (await fetch(`${origin}${runs}`, json(asked))).json();
      const answer = await fetch(`${origin}${runs}/${run_id}/stream`);
      assert.equal(answer.status, 200);
      await answer.text();
    });
    await check("a gated streaming route streams, and its receipt is its last event", async () => {
      const before = await balance();
      assert.equal((await fetch(`${origin}/runs/stream`, json(asked))).status, 402);
      const { response } = await payments.fetch(`${origin}/runs/stream`, json(asked));
      assert.match(response.headers.get("content-type") ?? "", /text\/event-stream/);
      const events: string[] = (await response.text()).match(/^event: .*$/gm) ?? [];
      assert.ok(events.includes("event: values"));
      assert.equal(events.at(-1), "event: payment-response");
      assert.equal(await balance(), before - 4n);
    });
    await check(
      "a run that throws answers 200, costs nothing, and its receipt says so",
      async () => {
        const before = await balance();
        const { response, receipt } = await payments.fetch(`${origin}/runs/wait`, json(emptied));
        assert.equal(response.status, 200);
        assert.ok("__error__" in (await response.json()));
        assert.equal(receipt?.outcome, "failed");
        assert.equal(await balance(), before);
      },
    );
    await check("a streamed run that throws costs nothing", async () => {
      const before = await balance();
      const { response } = await payments.fetch(`${origin}/runs/stream`, json(emptied));
      assert.match(await response.text(), /event: error[\s\S]*"outcome":"failed"/);
      assert.equal(await balance(), before);
    });
    await check("a streamed run that its caller cancels after reading is charged", async () => {
      for (const action of ["interrupt", "rollback"]) {
        const before = await balance();
        const lingering = { ...asked, input: { text: "linger on" } };
        const { response } = await payments.fetch(`${origin}${runs}/stream`, json(lingering));
        const run = response.headers.get("content-location");
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        let text = "";
        while (!text.includes('"words"')) text += (await reader?.read())?.value;
        await fetch(`${origin}${run}/cancel?action=${action}`, { method: "POST" });
        for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
          text += next.value;
        }
        assert.match(text, new RegExp(`"message": "${action}"[^]*"success":true`));
        assert.equal(await balance(), before - 5n);
      }
    });
    await check(
      "a streamed run that its caller leaves unread goes on, and is charged",
      async () => {
        const before = await balance();
        const { response } = await payments.fetch(`${origin}${runs}/stream`, json(asked));
        await response.body?.cancel();
        const run = response.headers.get("content-location");
        assert.equal((await (await fetch(`${origin}${run}/join`)).json()).words, 3);
        for (let tries = 0; tries < 100 && (await balance()) === before; tries++) {
          await new Promise((wake) => setTimeout(wake, 50));
        }
        assert.equal(await balance(), before - 5n);
      },
    );
    await check("a repeat under the same id gets the same bytes, free", async () => {
      const before = await balance();
      const headers = { "content-type": "application/json", "idempotency-key": "run-1" };
      const init = { ...json(asked), headers };
      const [first, again] = [
        await payments.fetch(`${origin}/runs/wait`, init),
        await payments.fetch(`${origin}/runs/wait`, init),
      ];
      assert.equal(await again.response.text(), await first.response.text());
      assert.equal(again.response.headers.get("idempotency-replayed"), "true");
      assert.equal(await balance(), before - 2n);
    });
    await check("a run that cannot start costs nothing", async () => {
      const before = await balance();
      const unknown = json({ ...asked, assistant_id: "unknown" });
      const { response } = await payments.fetch(`${origin}/runs/wait`, unknown);
      assert.ok(response.status >= 400, `status ${response.status}`);
      assert.equal(await balance(), before);
    });
    await check("the playground calls, pays and explains a run step by step", async () => {
      const before = await balance();
      const payer = { payments, account: subscriber.address };
      const told = await playRun(payer, { url: `${origin}/runs/wait`, body: asked });
      assert.deepEqual(
        told.steps.map(({ id, outcome }) => [id, outcome]),
        [
          ["ask", "challenged"],
          ["offer", "offer-valid"],
          ["permission", "ready"],
          ["verify", "verify-valid"],
          ["pay", "answered"],
          ["settle", "settled"],
        ],
      );
      assert.equal(told.money, "settled");
      const [first, paid] = ["ask", "pay"].map((id) => told.steps.find((step) => step.id === id));
      assert.equal(first?.exchange?.answer?.status, 402);
      assert.equal(paid?.exchange?.answer?.status, 200);
      assert.equal(JSON.parse(paid?.exchange?.answer?.body ?? "").words, 3);
      assert.equal(await balance(), before - 2n);
    });
    await check("the gate's traces and the graph's are siblings", async () => {
      const lines = (await readFile(spansFile, "utf8")).trim().split("\n");
      const spans = lines.map((line) => JSON.parse(line));
      const requests = spans.filter(({ name }) => name === "svc:x402-request");
      const graphs = spans.filter(({ name }) => name === "graph");
      assert.ok(requests.length >= 7 && graphs.length >= 4);
      assert.ok([...requests, ...graphs].every(({ isRoot }) => isRoot));
      const traced = new Set(requests.map(({ traceId }) => traceId));
      assert.ok(graphs.every(({ traceId }) => !traced.has(traceId)));
    });
    await check("the app's description is served", async () => {
      const description = await (await fetch(`${origin}/openapi.json`)).json();
      assert.ok(description.openapi);
    });
    console.log(`langgraph: ${checks} checks passed`);
  } finally {
    if (child) stop(child);
    await served.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
