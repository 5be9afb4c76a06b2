import "server-only";
import { join } from "node:path";
import type { Hex } from "viem";
import type { Deployment } from "@/lib/adapters/chain/deployment.ts";
import { smartAccountAddress } from "@/lib/adapters/chain/smart-account.ts";
import { type Database, hasEmbeddedDatabase, openDatabase } from "@/lib/adapters/db/client.ts";
import { resolveOrders } from "@/lib/domain/orders.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { API_VERSION, createApi } from "./api.ts";
import { type Background, repeat } from "./background.ts";
import { type CardServices, openCardServices } from "./card-services.ts";
import { type ChainServices, createChainServices } from "./chain-services.ts";
import { type Env, keyBytes } from "./env.ts";
import { checkHealth, type HealthProbe, probeDatabase, probeRail } from "./health.ts";
import { lockInstance } from "./instance-lock.ts";
import { createLog } from "./log.ts";
import { openChain } from "./open-chain.ts";
import type { Progress } from "./progress.ts";
import { loadSandboxSecrets } from "./sandbox-secrets.ts";
import { createServices } from "./services.ts";
import { createWebhooks, type Door } from "./webhooks.ts";

/** A booted service, without a port of its own. */
export type Booted = {
  env: Env;
  ports: Ports;
  api: ReturnType<typeof createApi>;
  chain: { rpcUrl: string; deployment: Deployment } & Pick<
    ChainServices,
    "fundAccount" | "reconciler"
  >;
  cards: CardServices;
  webhooks: Door;
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

    const { deployment, rpcUrl } = chain;
    const { environment } = env;
    const onChain = createChainServices({ environment, database, chain, secretKey, log });
    opened.push(onChain.stop);
    const onCards = await openCardServices(env, progress);
    if (onCards.stop) opened.push(onCards.stop);
    const ports = createServices({
      environment,
      database,
      secretKey,
      deployment,
      addressOf: (owner) => smartAccountAddress({ deployment, owner: owner as Hex }),
      rails: [onChain.rail, onCards.rail],
      cards: onCards.cards,
      log,
      schemeAliases: env.schemeAliases,
      ...(env.ledgerMaxBatch && { ledger: { maxBatch: env.ledgerMaxBatch } }),
    });
    onChain.start();
    for (const work of backgroundOf(ports)) opened.push(() => work.stop());

    const probes: HealthProbe[] = [
      probeDatabase(database),
      { ...probeRail("chain", onChain.rail), facts: onChain.facts },
      probeRail("cards", onCards.rail),
    ];
    const health = () => checkHealth(probes, { environment, version: API_VERSION });
    const api = createApi({ ports, origin: env.origin, health });
    const webhooks = createWebhooks(ports, onCards.readWebhook);
    const booted = { env, ports, api, webhooks, cards: onCards, secretKey, close };
    return { ...booted, chain: { rpcUrl, deployment, ...onChain } };
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
