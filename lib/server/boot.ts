import "server-only";
import { join } from "node:path";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { deployContracts } from "@/lib/adapters/chain/deploy.ts";
import { type Deployment, readDeployment } from "@/lib/adapters/chain/deployment.ts";
import { type EmbeddedChain, startEmbeddedChain } from "@/lib/adapters/chain/embedded-chain.ts";
import { smartAccountAddress } from "@/lib/adapters/chain/smart-account.ts";
import { type Database, hasEmbeddedDatabase, openDatabase } from "@/lib/adapters/db/client.ts";
import { resolveOrders } from "@/lib/domain/orders.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { API_VERSION, createApi } from "./api.ts";
import { type Background, repeat } from "./background.ts";
import { type Env, keyBytes } from "./env.ts";
import { checkHealth, type HealthProbe, probeDatabase } from "./health.ts";
import { lockInstance } from "./instance-lock.ts";
import { createLog } from "./log.ts";
import type { Progress } from "./progress.ts";
import { loadSandboxSecrets } from "./sandbox-secrets.ts";
import { createServices } from "./services.ts";

/** A booted service, without a port of its own. */
export type Booted = {
  env: Env;
  ports: Ports;
  api: ReturnType<typeof createApi>;
  chain: { rpcUrl: string; deployment: Deployment };
  secretKey: Uint8Array;
  close: () => Promise<void>;
};

const SWEEP_EVERY_MS = 5_000;
const RESOLVE_ORDERS_EVERY_MS = 10_000;

/**
 * Opens the database, starts or finds the chain, and wires the service: the same code in the sandbox and
 * in live, only the addresses differ. Whatever was opened is closed again when a later part fails.
 */
export async function bootService(env: Env, progress: Progress): Promise<Booted> {
  const log = createLog(env.logLevel);
  const opened: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of opened.splice(0).reverse()) {
      await end().catch((cause) => log.warn({ cause: String(cause) }, "could not close a part"));
    }
  };
  try {
    const isSandbox = env.environment === "sandbox";
    if (isSandbox) opened.push(await lockInstance(env.dataDir));
    const secrets = isSandbox ? loadSandboxSecrets(env.dataDir) : undefined;
    const secretKey = env.secretKey ?? keyBytes(secrets?.secretKey ?? "");

    // Both take their time and neither needs the other. Each is put on the list as soon as it stands.
    const [database, chain] = await settleBoth(
      openDatabaseOf(env, progress).then((database) => {
        opened.push(() => database.close());
        return database;
      }),
      openChain(env, secrets?.settlerPrivateKey, progress).then((chain) => {
        if (chain.stop) opened.push(chain.stop);
        return chain;
      }),
    );

    const { deployment } = chain;
    const ports = createServices({
      environment: env.environment,
      database,
      secretKey,
      deployment,
      addressOf: (owner) => smartAccountAddress({ deployment, owner: owner as Hex }),
      rails: [],
      cards: null,
      log,
      schemeAliases: env.schemeAliases,
      ...(env.ledgerMaxBatch && { ledger: { maxBatch: env.ledgerMaxBatch } }),
    });
    for (const work of backgroundOf(ports)) opened.push(() => work.stop());

    const probes: HealthProbe[] = [probeDatabase(database), probeChain(chain.rpcUrl)];
    const health = () =>
      checkHealth(probes, { environment: env.environment, version: API_VERSION });
    const api = createApi({ ports, origin: env.origin, health });
    return { env, ports, api, chain, secretKey, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

const backgroundOf = (ports: Ports): Background[] => [
  repeat("sweep", SWEEP_EVERY_MS, ports.log, () => ports.ledger.sweep()),
  repeat("orders", RESOLVE_ORDERS_EVERY_MS, ports.log, async () => {
    await resolveOrders(ports);
    return 0;
  }),
];

/** Waits for both even when one fails, so that nothing is left open behind the failure. */
async function settleBoth<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}

async function openDatabaseOf(env: Env, progress: Progress): Promise<Database> {
  if (env.databaseUrl) {
    const url = env.databaseUrl;
    return progress.step("database", "your Postgres", () => openDatabase({ url }));
  }
  const dataDir = join(env.dataDir, "postgres");
  const note = hasEmbeddedDatabase(dataDir)
    ? "embedded"
    : "embedded, first start takes a few seconds";
  return progress.step("database", note, () => openDatabase({ dataDir }));
}

type OpenChain = { rpcUrl: string; deployment: Deployment; stop?: () => Promise<void> };

async function openChain(
  env: Env,
  sandboxKey: string | undefined,
  progress: Progress,
): Promise<OpenChain> {
  if (env.chain) return openOutsideChain(env.chain, progress);
  const settlerPrivateKey = `0x${sandboxKey}` as Hex;
  let embedded: EmbeddedChain | undefined;
  try {
    return await progress.step("chain", "embedded, id 84532", async () => {
      const chain = await startEmbeddedChain({ dataDir: join(env.dataDir, "chain") });
      embedded = chain;
      const { rpcUrl, journal } = chain;
      const deployment = await deployContracts({
        rpcUrl,
        settlerPrivateKey,
        sandbox: true,
        journal,
      });
      return { rpcUrl, deployment, stop: () => chain.stop() };
    });
  } catch (cause) {
    await embedded?.stop();
    throw cause;
  }
}

function openOutsideChain(
  chain: NonNullable<Env["chain"]>,
  progress: Progress,
): Promise<OpenChain> {
  const { rpcUrl, chainId, deploymentsFile, settlerPrivateKey } = chain;
  return progress.step("chain", `id ${chainId}`, async () => {
    const deployment = readDeployment(deploymentsFile, chainId);
    if (!deployment) {
      throw new Error(
        `${deploymentsFile} has no contracts for chain ${chainId}. Deploy them first.`,
      );
    }
    // The key is used later; a malformed one should end the start, not the first settlement.
    privateKeyToAccount(`0x${settlerPrivateKey.replace(/^0x/, "")}`);
    return { rpcUrl, deployment };
  });
}

const probeChain = (rpcUrl: string): HealthProbe => ({
  name: "chain",
  async ask() {
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
  },
});
