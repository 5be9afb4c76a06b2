// Runs the packed package on every runtime it promises:
// node --import ./scripts/typescript.mjs e2e/runtimes/prove.ts
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { getDynamicCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { build } from "esbuild";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { serveTestService } from "@/lib/sdk/test-support/served-service.ts";
import { freePort } from "@/lib/testing/free-port.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));
const QUIET = ["--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock"];
const RUN_TIMEOUT_MS = 60_000;

type Settings = { baseUrl: string; apiKey: string; planId: string; accessToken: string };
type Runtime = { name: string; version: () => Promise<string>; check: Check };
/** Runs the check in the folder where the package is installed; resolves to what it printed. */
type Check = (folder: string, settings: Settings) => Promise<string>;

const installed = (name: string) => join(here, "node_modules", name);
const BUN = installed(".bin/bun");
const DENO = installed(".bin/deno");
const WORKERD = installed(".bin/workerd");

const RUNTIMES: Runtime[] = [
  commandLine("Node", process.execPath, []),
  commandLine("Node", installed("node22/bin/node"), []),
  commandLine("Node", installed("node24/bin/node"), []),
  commandLine("Bun", BUN, ["run"]),
  commandLine("Deno", DENO, ["run", "--allow-all", "--quiet"]),
  { name: "workerd", version: () => versionOf(WORKERD), check: checkWorkerd },
];

function commandLine(name: string, command: string, args: string[]): Runtime {
  return {
    name,
    version: () => versionOf(command),
    async check(folder, settings) {
      const { stdout } = await run(command, [...args, "main.mjs", JSON.stringify(settings)], {
        cwd: folder,
        timeout: RUN_TIMEOUT_MS,
      });
      return stdout;
    },
  };
}

async function versionOf(command: string): Promise<string> {
  const { stdout } = await run(command, ["--version"]);
  return /\d[\w.-]*/.exec(stdout)?.[0] ?? stdout.trim();
}

/** workerd runs one bundled module, as a deployment's tools make it. */
async function checkWorkerd(folder: string, settings: Settings): Promise<string> {
  await build({
    entryPoints: [join(folder, "worker.mjs")],
    outfile: join(folder, "worker.bundle.mjs"),
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
  });
  const port = await freePort();
  await writeFile(join(folder, "workerd.capnp"), workerdConfig(port, settings));
  const workerd = spawn(WORKERD, ["serve", "workerd.capnp"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
  });
  try {
    const response = await answerOf(`http://127.0.0.1:${port}/`, workerd);
    return await response.text();
  } finally {
    workerd.kill();
    if (workerd.exitCode === null && workerd.signalCode === null) await once(workerd, "exit");
  }
}

const workerdConfig = (
  port: number,
  settings: Settings,
) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "agent", worker = .agent),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "agent")],
);
const agent :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.bundle.mjs")],
  compatibilityDate = "2026-01-01",
  bindings = [
    ${Object.entries(settings)
      .map(([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)}),`)
      .join("\n    ")}
  ],
);
`;

/** The first answer of a server that has just been started. */
async function answerOf(url: string, server: { exitCode: number | null }): Promise<Response> {
  const end = Date.now() + RUN_TIMEOUT_MS;
  for (;;) {
    try {
      return await fetch(url);
    } catch (error) {
      if (server.exitCode !== null || Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** The package as its users get it: packed, and installed with nothing around it. */
async function installPackage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-runtimes-"));
  await run("npm", ["pack", "--pack-destination", folder], { cwd: join(repository, "lib/sdk") });
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) as string;
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await run("npm", ["install", ...QUIET, `./${tarball}`], { cwd: folder });
  for (const name of ["check-package.mjs", "main.mjs", "worker.mjs"]) {
    await copyFile(join(here, name), join(folder, name));
  }
  return folder;
}

/** A plan with a subscriber's token for it, at a real service. */
async function openMarket() {
  const database = await openDatabase({});
  const served = await serveTestService(database);
  const [builder, subscriber] = await Promise.all([served.service.party(), served.service.party()]);
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "Runtimes" },
    getFreePriceConfig(),
    getDynamicCreditsConfig(100n, 1n, 10n),
  );
  await subscriber.payments.plans.orderPlan(planId);
  const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId);
  const settings = {
    baseUrl: served.origin,
    apiKey: builder.apiKey,
    buyerKey: subscriber.apiKey,
    planId,
    accessToken,
  };
  const close = async () => {
    await served.close();
    await database.close();
  };
  return { settings, close };
}

async function main(): Promise<void> {
  if (!existsSync(WORKERD)) {
    console.log("Installing the runtimes (some 700 MB, once)");
    await run("npm", ["install", ...QUIET], { cwd: here });
  }
  const folder = await installPackage();
  const market = await openMarket();
  const passed: string[] = [];
  try {
    for (const { name, version, check } of RUNTIMES) {
      const title = `${name} ${await version()}`;
      const printed = await check(folder, market.settings);
      assert.deepEqual(JSON.parse(printed), {
        challenged: 402,
        paid: 200,
        answer: 42,
        settled: true,
        holder: "signed",
        decoded: true,
        called: true,
      });
      console.log(`  ${title}`);
      passed.push(title);
    }
  } finally {
    await market.close();
    await rm(folder, { recursive: true, force: true });
  }
  console.log(`runtimes: ${passed.join(", ")}`);
}

await main();
