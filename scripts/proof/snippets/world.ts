import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Payments } from "@turnpike/payments";
import { getDynamicCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { readSandboxFile } from "@/lib/sandbox/sandbox-file.ts";
import { freePort } from "@/lib/testing/free-port.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import type { Reader } from "./run-document.ts";

const run = promisify(execFile);
const RUNTIMES = "e2e/runtimes/package.json";

/** The sandbox of this proof, started by `scripts/with-sandbox.ts`. */
export const openSandbox = () => readSandboxFile(process.env.TURNPIKE_SANDBOX_JSON ?? "");

export type Runtime = { name: string; folder: string };

/** The Node versions that examples run on: the present one, and in full also those of the runtimes' proof. */
export async function findRuntimes(): Promise<Runtime[]> {
  const present = { name: process.version, folder: dirname(process.execPath) };
  if (!inFull(true, false)) return [present];
  const { dependencies } = JSON.parse(readFileSync(RUNTIMES, "utf8"));
  const place = join(tmpdir(), "turnpike-nodes");
  const names = ["node22", "node24"];
  if (!names.every((name) => existsSync(join(place, "node_modules", name, "bin/node")))) {
    await mkdir(place, { recursive: true });
    const packages = names.map((name) => `${name}@${dependencies[name]}`);
    await run("npm", ["install", "--prefix", place, "--no-audit", "--no-fund", ...packages]);
  }
  const others = names.map((name) => join(place, "node_modules", name, "bin"));
  const versions = await Promise.all(
    others.map(async (folder) => (await run(join(folder, "node"), ["--version"])).stdout.trim()),
  );
  return [present, ...others.map((folder, at) => ({ name: versions[at] ?? "", folder }))];
}

/** The path of a Python with a module, or null. Its name alone could mean another in a reader's terminal. */
export async function findPython(module: string): Promise<string | null> {
  for (const python of [process.env.PYTHON ?? "python3", "/usr/bin/python3"]) {
    const code = `import sys, ${module}; print(sys.executable)`;
    const found = await run(python, ["-c", code]).catch(() => null);
    if (found) return found.stdout.trim();
  }
  return null;
}

export type Account = { apiKey: string; url: string; python: string };

/** A reader with an empty folder, a free port and one key. With `isBuilder` also a plan they ordered, and an agent at that port. */
export async function createReader(
  { apiKey, url, python }: Account,
  { folder, runtime, isBuilder }: { folder: string; runtime: Runtime; isBuilder: boolean },
): Promise<Reader> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const own = isBuilder ? await sell(Payments.getInstance({ apiKey, baseUrl: url }), origin) : {};
  const env = {
    PATH: `${runtime.folder}:${process.env.PATH}`,
    HOME: process.env.HOME ?? "",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    npm_config_prefer_offline: "true",
    NEXT_TELEMETRY_DISABLED: "1",
    TURNPIKE_API_KEY: apiKey,
    TURNPIKE_URL: url,
    PORT: String(port),
    AGENT_URL: origin,
    PYTHON: python,
    // The client of MCP in the README starts its server with it.
    SERVER_API_KEY: apiKey,
    ...own,
  };
  return { folder, url, port, apiKey, env };
}

async function sell({ plans, agents }: Payments, origin: string) {
  const { planId } = await plans.registerCreditsPlan(
    { name: "Examples" },
    getFreePriceConfig(),
    getDynamicCreditsConfig(1_000n, 1n, 10n),
  );
  const paths = ["/ask", "/a2a", "/threads/{thread_id}/runs/wait"];
  const endpoints = [...paths.map((path) => `${origin}${path}`), "/tools/:name"];
  const { agentId } = await agents.registerAgent(
    { name: "Examples" },
    { endpoints: endpoints.map((url) => ({ POST: url })) },
    [planId],
  );
  await plans.orderPlan(planId);
  return { TURNPIKE_PLAN_ID: planId, TURNPIKE_AGENT_ID: agentId };
}
