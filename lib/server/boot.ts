import "server-only";
import { join } from "node:path";
import type { GateObserver } from "@turnpike/payments";
import type { Hex } from "viem";
import type { Deployment } from "@/lib/adapters/chain/deployment.ts";
import { smartAccountAddress } from "@/lib/adapters/chain/smart-account.ts";
import { type Database, hasEmbeddedDatabase, openDatabase } from "@/lib/adapters/db/client.ts";
import { refreshStatistics } from "@/lib/adapters/db/statistics.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { createFaultLab, type FaultLab } from "@/lib/sandbox/fault-lab.ts";
import { loadSandboxSecrets } from "@/lib/sandbox/sandbox-secrets.ts";
import { type Background, repeat } from "./background.ts";
import { type CardServices, openCardServices } from "./card-services.ts";
import { type ChainServices, createChainServices } from "./chain-services.ts";
import { type Env, keyBytes } from "./env.ts";
import { API_VERSION, createApi } from "./http/api.ts";
import { checkHealth, type HealthProbe, probeDatabase, probeRail } from "./http/health.ts";
import { createWebhooks, type Endpoint } from "./http/webhooks.ts";
import { lockInstance } from "./instance-lock.ts";
import { openChain } from "./open-chain.ts";
import { openOutbound } from "./open-outbound.ts";
import { createPipeline, type Pipeline } from "./pipeline/perform.ts";
import { createRateLimits, type RateLimits } from "./pipeline/rate-limits.ts";
import { servedOperations } from "./pipeline/served-operations.ts";
import type { Progress } from "./progress.ts";
import { createServices } from "./services.ts";
import { createLog } from "./watch/log.ts";
import { openWatch } from "./watch/watch.ts";

/** A booted service that listens on no port yet. */
export type Booted = {
  env: Env;
  ports: Ports;
  api: ReturnType<typeof createApi>;
  chain: { rpcUrl: string; deployment: Deployment } & Pick<
    ChainServices,
    "fundAccount" | "reconciler"
  >;
  cards: CardServices;
  /** Notified of what gates in this process decide; undefined without tracing and metrics. */
  observeGate: GateObserver | undefined;
  /** Calls to addresses that people typed. */
  outbound: Outbound;
  webhooks: Endpoint;
  pipeline: Pipeline;
  limits: RateLimits;
  secretKey: Uint8Array;
  close: () => Promise<void>;
};

const SWEEP_EVERY_MS = 5_000;
const SWEEP_SIGN_INS_EVERY_MS = 60_000;
const SWEEP_REPORTS_EVERY_MS = 60_000;
const RESOLVE_ORDERS_EVERY_MS = 10_000;
const STATISTICS_EVERY_MS = 10_000;

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
    let lab: FaultLab | undefined;
    const isCut = () => lab?.isChainCut() === true;
    const onChain = createChainServices({
      environment,
      database,
      chain,
      secretKey,
      log,
      ...(isSandbox && { isCut }),
    });
    opened.push(onChain.stop);
    const onCards = await openCardServices(env, progress);
    if (onCards.stop) opened.push(onCards.stop);
    if (isSandbox) {
      // A pause outlives the process that asked for it; the lab that would end it does not.
      await onChain
        .pauseOrders(false)
        .catch((cause) => log.warn({ cause: String(cause) }, "paused"));
      lab = createFaultLab({ cards: onCards.faults, pauseChain: onChain.pauseOrders });
    }
    const ports = createServices({
      environment,
      database,
      secretKey,
      deployment,
      addressOf: (owner) => smartAccountAddress({ deployment, owner: owner as Hex }),
      rails: [onChain.rail, onCards.rail],
      cards: onCards.cards,
      origin: env.origin,
      ownerGrants: onChain.ownerGrants,
      ...(lab && { faults: lab, faucet: onChain.faucet }),
      log,
      schemeAliases: env.schemeAliases,
      ...(env.ledgerMaxBatch && { ledger: { maxBatch: env.ledgerMaxBatch } }),
    });
    onChain.start();
    const counts = { stuckOrders: 0 };
    for (const work of backgroundOf(ports, database, counts)) opened.push(() => work.stop());

    const probes: HealthProbe[] = [
      probeDatabase(database),
      { ...probeRail("chain", onChain.rail), facts: onChain.facts },
      { ...probeRail("cards", onCards.rail), facts: () => counts },
    ];
    const health = () => checkHealth(probes, { environment, version: API_VERSION });
    const watch = await openWatch(env, {
      log,
      waiting: { stuck_orders: () => counts.stuckOrders },
    });
    opened.push(watch.close);
    const { observe, observeGate } = watch;
    const limits = createRateLimits(env.rates);
    const operations = lab
      ? [...servedOperations, ...(await loadSandboxOperations(lab))]
      : servedOperations;
    const pipeline = createPipeline({ ports, operations, observe, limits });
    const api = createApi({ ports, pipeline, origin: env.origin, health });
    const webhooks = createWebhooks(ports, onCards.readWebhook);
    const outbound = openOutbound(env, { rpcUrl, cardsUrl: onCards.apiBase });
    const booted = {
      env,
      ports,
      api,
      pipeline,
      webhooks,
      cards: onCards,
      outbound,
      secretKey,
      close,
    };
    return { ...booted, limits, observeGate, chain: { rpcUrl, deployment, ...onChain } };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** A live service never loads these. */
async function loadSandboxOperations(lab: FaultLab) {
  const { serveSandbox } = await import("@/lib/sandbox/sandbox-verbs.ts");
  return serveSandbox(lab);
}

/** `counts` is updated with what needs a person. */
const backgroundOf = (
  ports: Ports,
  database: Database,
  counts: { stuckOrders: number },
): Background[] => [
  repeat("sweep", SWEEP_EVERY_MS, ports.log, () => ports.ledger.sweep()),
  repeat("sign-ins", SWEEP_SIGN_INS_EVERY_MS, ports.log, () => ports.signIns.sweep(new Date())),
  repeat("shared-runs", SWEEP_REPORTS_EVERY_MS, ports.log, async () =>
    ports.sharedRuns.sweep(await ports.clock.now()),
  ),
  repeat("reports", SWEEP_REPORTS_EVERY_MS, ports.log, () => ports.activity.sweepReports()),
  repeat("orders", RESOLVE_ORDERS_EVERY_MS, ports.log, async () => {
    await resolveOrders(ports);
    counts.stuckOrders = await ports.orders.countStuck();
    return 0;
  }),
  ...(database.kind === "pglite"
    ? [repeat("statistics", STATISTICS_EVERY_MS, ports.log, () => refreshStatistics(database))]
    : []),
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
