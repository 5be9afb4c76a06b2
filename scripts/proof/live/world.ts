import { execFile, execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { startPostgres } from "../../../lib/adapters/db/testing/postgres-cluster.ts";
import { startControlledProcessor } from "../../../lib/sandbox/card-processor/testing/controlled-processor.ts";
import { createAnvilRpc } from "../../../lib/sandbox/chain/anvil-rpc.ts";
import { startEmbeddedChain } from "../../../lib/sandbox/chain/embedded-chain.ts";
import { freePort } from "../../../lib/testing/free-port.ts";

/** Base, which live payments name. */
export const CHAIN_ID = 8453;
const key = () => randomBytes(32).toString("hex");

/** The command that starts the service from source. */
export const SERVICE = [
  process.execPath,
  "--import",
  "./scripts/typescript.mjs",
  "lib/server/service.ts",
];

/** The parts a live deployment needs, on this machine: Postgres, a chain, a card processor and a TLS proxy. */
export type LiveWorld = Awaited<ReturnType<typeof openLiveWorld>>;

export type Settings = Record<string, string>;

/**
 * Runs this script again with a separate certificate authority, as a certificate of a public one would be trusted.
 * Answers whether this is that second run.
 */
export function isTrusting(script: string): boolean {
  if (process.env.PROOF_TLS) return true;
  const folder = mkdtempSync(join(tmpdir(), "turnpike-tls-"));
  const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
  const about = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const kind = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30"];
  execFileSync("openssl", [...kind, ...files, ...about], { stdio: "ignore" });
  const env = { ...process.env, PROOF_TLS: folder, NODE_EXTRA_CA_CERTS: join(folder, "cert.pem") };
  const child = spawn(process.execPath, [...process.execArgv, script, ...process.argv.slice(2)], {
    stdio: "inherit",
    env,
  });
  child.once("exit", (code) => {
    rmSync(folder, { recursive: true, force: true });
    process.exitCode = code ?? 1;
  });
  return false;
}

/** Starts the parts, deploys the contracts with this release or another one's folder, and serves TLS in front. */
export async function openLiveWorld(release = ".") {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-live-"));
  const [postgres, chain] = await Promise.all([
    startPostgres(),
    startEmbeddedChain({ dataDir: join(folder, "chain"), chainId: CHAIN_ID }),
  ]);
  if (!postgres) throw new Error("This proof needs Postgres on the machine.");
  const rpc = createAnvilRpc(chain.rpcUrl);
  const port = await freePort();
  const proxy = await serveTls(port);
  const cards = await startCards(join(folder, "cards"), proxy.origin);
  const settlerKey = key();
  const settings: Settings = {
    TURNPIKE_ENVIRONMENT: "live",
    TURNPIKE_SECRET_KEY: key(),
    TURNPIKE_ORIGIN: proxy.origin,
    TRUSTED_PROXIES: "1",
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: await postgres.createDatabase("turnpike"),
    CHAIN_RPC_URL: chain.rpcUrl,
    CHAIN_ID: String(CHAIN_ID),
    SETTLER_PRIVATE_KEY: settlerKey,
    DEPLOYMENTS_FILE: join(folder, "deployments.json"),
    STRIPE_SECRET_KEY: cards.secretKey,
    STRIPE_PUBLISHABLE_KEY: cards.publishableKey,
    // Earlier releases read one secret.
    STRIPE_WEBHOOK_SECRET: release === "." ? cards.webhookSecrets.join(",") : cards.webhookSecret,
    STRIPE_API_BASE: cards.apiBase,
    LOG_LEVEL: "error",
  };
  await rpc("anvil_setBalance", [privateKeyToAddress(`0x${settlerKey}`), "0x56bc75e2d63100000"]);
  const admin = privateKeyToAddress(`0x${key()}` as Hex);
  // Earlier releases gave the settler every role.
  const roles = release === "." ? ["--admin", admin] : [];
  await runTool(["scripts/chain-deploy.ts", ...roles], settings, {
    allowed: [0, 2],
    cwd: release,
  });
  return {
    folder,
    postgres,
    chain,
    rpc,
    cards,
    settings,
    origin: proxy.origin,
    async stop() {
      await proxy.stop();
      await cards.stop();
      await chain.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs one of our commands in an environment that holds its settings and nothing else; what it prints. */
export async function runTool(
  args: string[],
  settings: Settings,
  { allowed = [0], cwd = "." }: { allowed?: number[]; cwd?: string } = {},
): Promise<string> {
  const env = { PATH: process.env.PATH ?? "", ...trust(), ...settings };
  const node = ["--import", "./scripts/typescript.mjs", ...args];
  try {
    return (await promisify(execFile)(process.execPath, node, { env, cwd })).stdout;
  } catch (cause) {
    const { code, stdout, stderr } = cause as { code: number; stdout: string; stderr: string };
    if (allowed.includes(code)) return stdout;
    throw new Error(`${args[0]} exited with ${code}: ${stdout}${stderr}`);
  }
}

const trust = () => ({
  NODE_ENV: "production" as const,
  NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? "",
});

type ProcessOptions = Pick<SpawnOptions, "cwd" | "uid" | "gid">;

export type Started = {
  secs: number;
  pid: number;
  /** What it has printed. */
  output: () => string;
  stop: () => Promise<number | null>;
};

/** Starts a process and waits until its health is good behind the proxy. */
export async function startLive(
  command: string[],
  { settings, origin, ...as }: { settings: Settings; origin: string } & ProcessOptions,
): Promise<Started> {
  const start = performance.now();
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    ...as,
    env: { ...trust(), ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const read = (chunk: Buffer) => {
    said += chunk;
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const ended = once(child, "close").then(([code]) => code as number | null);
  while (!(await fetch(`${origin}/api/v1/health`).catch(() => null))?.ok) {
    if (child.exitCode !== null || performance.now() - start > 120_000) {
      child.kill("SIGKILL");
      throw new Error(`The service did not start: ${said}`);
    }
    await new Promise((wake) => setTimeout(wake, 20));
  }
  const secs = (performance.now() - start) / 1000;
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { secs, pid: child.pid ?? 0, output: () => said, stop };
}

/** The card processor with live keys, which sends its events through the proxy. */
async function startCards(dataDir: string, origin: string) {
  mkdirSync(dataDir, { recursive: true });
  const keys = {
    secretKey: `sk_live_${key()}`,
    publishableKey: `pk_live_${key()}`,
    webhookSecret: `whsec_${key()}`,
  };
  writeFileSync(join(dataDir, "keys.json"), JSON.stringify(keys), { mode: 0o600 });
  const webhook = { url: `${origin}/api/webhooks/cards` };
  const processor = await startControlledProcessor({ dataDir, webhook });
  processor.controls.setPayoutInterval("manual");
  return processor;
}

/** A proxy that ends TLS and says who asked, as the one of `compose.yaml` does. */
async function serveTls(to: number) {
  const [cert, key] = ["cert.pem", "key.pem"].map((name) =>
    readFileSync(join(process.env.PROOF_TLS ?? "", name)),
  );
  const files = { cert, key };
  const server = createServer(files, (incoming, outgoing) => {
    const { method = "GET", url = "/" } = incoming;
    const headers = {
      ...incoming.headers,
      "x-forwarded-for": incoming.socket.remoteAddress ?? "",
      "x-forwarded-proto": "https",
    };
    const onward = request({ port: to, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once("error", () =>
      outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end(),
    );
    incoming.pipe(onward);
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `https://localhost:${port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
