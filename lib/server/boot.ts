import "server-only";
import { CHAIN_NETWORKS } from "@turnpike/payments/protocol";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { cardTerms } from "@/lib/adapters/cards/card-terms.ts";
import { findCardAccount } from "@/lib/adapters/cards/find-card-account.ts";
import type { Deployment } from "@/lib/adapters/chain/deployment.ts";
import { createRailsWithoutChain, deploymentWithoutChain } from "@/lib/adapters/chain/free-rail.ts";
import { smartAccount } from "@/lib/adapters/chain/smart-account.ts";
import { createCardCustomers } from "@/lib/adapters/db/card-customers.ts";
import { findMadeFor } from "@/lib/adapters/db/chain/made-for.ts";
import { readTxt } from "@/lib/adapters/outbound/read-txt.ts";
import type { Log } from "@/lib/domain/ports.ts";
import { createLeftOutRail } from "@/lib/domain/rails/rail.ts";
import { createDomainProofs } from "@/lib/probe/find-domain-proof.ts";
import type { FaultLab } from "@/lib/sandbox/fault-lab.ts";
import type { Mailbox } from "@/lib/sandbox/mailbox.ts";
import type { Sandbox } from "@/lib/sandbox/open-sandbox.ts";
import { startBackground } from "./background.ts";
import { backgroundWork } from "./background-work.ts";
import { openCardServices, processorOf } from "./card-services.ts";
import { type ChainServices, createChainServices } from "./chain/chain-services.ts";
import { openChain } from "./chain/open-chain.ts";
import { checkData, createAccountCheck, createSecretCheck } from "./check-data.ts";
import { createLedgerComparison } from "./comparison/ledger-comparison.ts";
import { createHealth } from "./create-health.ts";
import type { Env } from "./env.ts";
import { createApi } from "./http/api.ts";
import { createEventStream } from "./http/event-stream.ts";
import { createPaidCalls } from "./http/paid-calls.ts";
import { createWebhooks } from "./http/webhooks.ts";
import { type As, openDatabaseOf } from "./open-database.ts";
import { openMail } from "./open-mail.ts";
import { openOutbound, urlFault } from "./open-outbound.ts";
import { countedOutbound } from "./outbound/counted-outbound.ts";
import { visitorOutbound } from "./outbound/visitor-outbound.ts";
import { createPipeline } from "./pipeline/perform.ts";
import { createRateLimits } from "./pipeline/rate-limits.ts";
import { type ServedOperation, servedOperations } from "./pipeline/served-operations.ts";
import type { Progress } from "./progress.ts";
import { createServices, type SecretKeys } from "./services.ts";
import { findLeftOutCards } from "./settings/left-out-cards.ts";
import { settleBoth } from "./settle-both.ts";
import { type Closers, closeInTime } from "./stop-on-signal.ts";
import { type Counts, gaugesOf } from "./watch/gauges.ts";
import { createLog } from "./watch/log.ts";
import { openWatch } from "./watch/watch.ts";

/** A running service that does not listen on a port yet. */
export type Booted = Awaited<ReturnType<typeof bootService>>;

/** `deployment` is what tokens and account addresses belong to; the rest is missing where plans are paid by card only. */
type BootedChain = { deployment: Deployment } & Pick<ChainServices, "isSignedByWallet"> &
  Partial<
    { rpcUrl: string } & Pick<
      ChainServices,
      "fundAccount" | "reconciler" | "findings" | "repairs" | "watch"
    >
  >;

/**
 * Opens the database and the chain, and wires the service: one code path for sandbox and live. When a part
 * fails, everything opened before it is closed again. A `tool` runs beside the service, or before it on a restored
 * ledger: it leaves the work that repeats, which pays and sends, and the port of the metrics to the service.
 */
export async function bootService(env: Env, progress: Progress, as: As = "service") {
  const log = createLog(env.logLevel);
  const closers: Closers = [];
  const close = () => closeInTime(closers, log);
  try {
    const parts = await openParts({ env, progress, log, closers, as });
    const { workloads, onCards, comparison } = parts;
    const { money: ports, reads, background } = workloads;
    await ports.signer.publish();
    const isTool = as === "tool";
    const counts: Counts = { stuckOrders: 0, refusedMails: 0 };
    if (!isTool) startWork({ ...parts, keptDays: env.keptDays, counts }, closers);
    const health = createHealth(parts, env.environment, () => counts.stuckOrders, log);
    const watch = await openWatch(isTool ? { ...env, metrics: undefined } : env, {
      log,
      waiting: gaugesOf(ports, parts.onChain, counts),
    });
    closers.push(watch.close);
    const { observe, observeGate } = watch;
    const limits = createRateLimits(env.rates);
    const outbound = countedOutbound(parts.outbound, limits.sent);
    const { deployment, operations } = parts;
    const ownChain = { deployment, isSignedByWallet: async () => false };
    const chain: BootedChain = { ...ownChain, ...parts.chain, ...parts.onChain };
    const pipeline = createPipeline({ ports, reads, operations, observe, limits });
    const events = createEventStream(background, pipeline);
    closers.push(pipeline.idle, async () => events.stop());
    return {
      env,
      ports,
      api: createApi({ ports, pipeline, events, origin: env.origin, health, outbound }),
      paidCalls: createPaidCalls({ ports, pipeline }),
      events,
      pipeline,
      webhooks: createWebhooks(ports, onCards?.readWebhook),
      /** Null where plans are paid on chain only. */
      cards: onCards,
      /** Calls to URLs that users enter. */
      outbound,
      /** The same for people without an account. */
      visitors: visitorOutbound(parts.outbound),
      secretKey: parts.secretKey,
      limits,
      /** Observes what gates in this process decide; absent without tracing and metrics. */
      observeGate,
      /** Differences from the card processor, and broken rules of the ledger. */
      comparison,
      chain,
      close,
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}

type Parts = Awaited<ReturnType<typeof openParts>>;

async function openParts({ env, progress, log, closers, as }: Opening) {
  const { environment } = env;
  const sandbox = await openSandboxOf(env, progress);
  if (sandbox) closers.push(sandbox.close);
  const secretKeys: SecretKeys = env.secretKeys ?? [
    required(sandbox, "TURNPIKE_SECRET_KEY").secretKey,
  ];
  const { database, chain } = await openStores({ env, sandbox, progress, closers, as, log });
  const { chainId, deploymentsFile } = env;
  const plans = (await findMadeFor(database))?.plans;
  const deployment =
    chain?.deployment ?? deploymentWithoutChain(chainId, { deploymentsFile, plans });
  const settler = chain && privateKeyToAddress(chain.settlerPrivateKey);
  const madeFor = { environment, ...deployment };
  const findAccount = () => findCardAccount(env.stripe);
  const cardAccount = await findAccount();
  await checkData({ database, secretKeys, madeFor, cardAccount, settler, as });
  const accountCheck = createAccountCheck({ database, cardAccount }, findAccount);
  let lab: FaultLab | undefined;
  const onChain =
    chain &&
    createChainServices({
      environment,
      database,
      chain,
      secretKeys,
      log,
      limits: env.orderLimits,
      ...(sandbox && { isCut: () => lab?.isChainCut() === true }),
    });
  if (onChain) closers.push(onChain.bundler.stop);
  const onCards = await openCardServices(env, sandbox, createCardCustomers(database.for("money")));
  if (onCards?.stop) closers.push(onCards.stop);
  const comparison = createLedgerComparison(database);
  await Promise.all([comparison.readOpen(), onChain?.readOpen()]);
  if (sandbox && onChain) {
    lab = await sandbox.openLab({ cards: onCards?.faults, pauseChain: onChain.pauseOrders }, log);
  }
  const mail = await openMail(env, sandbox, closers);
  const ownParts = { rpcUrl: chain?.rpcUrl, cardsUrl: onCards?.apiBase, smtpUrl: mail?.url };
  const outbound = openOutbound(env, ownParts);
  const workloads = createServices({
    environment,
    database,
    secretKeys,
    deployment,
    addressOf: (owner) => smartAccount({ deployment, owner: owner as Hex }).address,
    rails: [
      ...(onChain ? [onChain.rail] : createRailsWithoutChain(CHAIN_NETWORKS[environment])),
      onCards?.rail ?? createLeftOutRail(cardTerms),
      ...(onChain ? [onChain.exactRail] : []),
    ],
    ...portsOnChain(onChain),
    cards: onCards?.cards ?? null,
    ...(onCards && { payoutProcessor: onCards.payouts }),
    platformFee: env.platformFee,
    withdrawalWaitSecs: env.withdrawalWaitSecs,
    origin: env.origin,
    salesStop: () => onChain?.salesStop() ?? comparison.salesStop() ?? accountCheck.salesStop(),
    findDomainProof: createDomainProofs({ outbound, readTxt }),
    ...(mail && { sendMail: mail.sendMail }),
    webhookUrlFault: urlFault(env, ownParts),
    ...(lab && onChain && { faults: lab, faucet: onChain.faucet }),
    log,
    schemeAliases: env.schemeAliases,
    ...(env.ledgerMaxBatch && { ledger: { maxBatch: env.ledgerMaxBatch } }),
  });
  const operations = lab
    ? [...servedOperations, ...(await sandboxOperations(lab, mail?.mailbox))]
    : servedOperations;
  const [secretKey] = secretKeys;
  const secrets = createSecretCheck({ database, secretKeys });
  const stores = { workloads, database, deployment, chain };
  const parts = { ...stores, onChain, onCards, comparison, secrets, accountCheck };
  const leftOut = onCards ? null : await findLeftOutCards(database);
  return { ...parts, outbound, secretKey, operations, leftOut };
}

const portsOnChain = (onChain: ChainServices | undefined) =>
  onChain && {
    exact: onChain.exact,
    stablecoin: onChain.stablecoin,
    accountPayments: onChain.accountPayments,
    ownerGrants: onChain.ownerGrants,
  };

type Opening = { env: Env; progress: Progress; log: Log; closers: Closers; as: As };

/** Loaded in the sandbox only: a live process holds none of its code. */
async function openSandboxOf(env: Env, progress: Progress): Promise<Sandbox | undefined> {
  if (env.environment !== "sandbox") return undefined;
  const { openSandbox } = await import("@/lib/sandbox/open-sandbox.ts");
  return openSandbox(env, progress);
}

/** A live process never loads these. */
async function sandboxOperations(
  lab: FaultLab,
  mailbox: Mailbox | undefined,
): Promise<readonly ServedOperation[]> {
  const { serveSandbox } = await import("@/lib/sandbox/sandbox-verbs.ts");
  return serveSandbox(lab, mailbox);
}

function required(sandbox: Sandbox | undefined, setting: string): Sandbox {
  if (sandbox) return sandbox;
  throw new Error(`Live needs ${setting}.`);
}

/** Database and chain start at the same time; each is closed again when the other fails. */
async function openStores({
  env,
  sandbox,
  progress,
  closers,
  as,
  log,
}: Opening & { sandbox: Sandbox | undefined }) {
  const [database, chain] = await settleBoth(
    openDatabaseOf(env, progress, { as, log }).then((database) => {
      closers.push(() => database.close());
      return database;
    }),
    openChainOf(env, sandbox, progress).then((chain) => {
      if (chain?.stop) closers.push(chain.stop);
      return chain;
    }),
  );
  return { database, chain };
}

async function openChainOf(env: Env, sandbox: Sandbox | undefined, progress: Progress) {
  if (!env.rails.crypto) return undefined;
  if (env.chain) return openChain(env.chain, progress);
  return required(sandbox, "CHAIN_RPC_URL").startChain();
}

/** Starts mirroring and everything that repeats. */
function startWork(parts: Parts & Pick<Env, "keptDays"> & { counts: Counts }, closers: Closers) {
  const { workloads, onChain, onCards, comparison } = parts;
  const ports = workloads.background;
  onChain?.bundler.start();
  const hasCompared = () => comparison.hasCompared() && (onChain?.hasScanned() ?? true);
  const work = [
    ...backgroundWork({ ...parts, ports, hasCompared }),
    ...comparison.workOf(ports, processorOf(onCards)),
    parts.secrets.work,
    parts.accountCheck.work,
  ];
  closers.push(startBackground(work, ports.log).stop);
}
