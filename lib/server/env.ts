import "server-only";
import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { Environment } from "@turnpike/payments/protocol";
import { z } from "zod";
import { readConnectedAccounts, readFeeControllers } from "./env-lists.ts";
import {
  explorerUrl,
  flag,
  httpUrl,
  keptDays,
  origin,
  port,
  postgresUrl,
  privateKey,
  rate,
  readKeptDays,
  smtpUrl,
  stripeKey,
  webhookSecrets,
  whole,
  words,
} from "./env-values.ts";
import { findPortFault, hostOf } from "./hosts.ts";
import type { RatesPerMinute } from "./pipeline/rate-limits.ts";

const gas = whole(0, 1e15).optional();
const Variables = z.object({
  PORT: port(3000),
  AGENT_PORT: port(3402),
  HOST: z.string().optional(),
  TURNPIKE_ENVIRONMENT: z._default(Environment, "sandbox"),
  TURNPIKE_DATA_DIR: z.string().default(".turnpike"),
  /** Newest first, comma-separated. Optional in a sandbox, which creates its own. */
  TURNPIKE_SECRET_KEY: z
    .string()
    .regex(
      /^\s*(0x)?[0-9a-fA-F]{64}\s*(,\s*(0x)?[0-9a-fA-F]{64}\s*)*$/,
      "Expected 32 bytes as hex; several, newest first, comma-separated.",
    )
    .transform(readSecretKeys)
    .optional(),
  TURNPIKE_ORIGIN: origin,
  /** The deployment of the other environment. */
  OTHER_ENVIRONMENT_URL: httpUrl.optional(),
  DATABASE_URL: postgresUrl,
  DATABASE_REPLICA_URL: postgresUrl,
  CHAIN_RPC_URL: httpUrl.optional(),
  CHAIN_ID: whole(1).optional(),
  SETTLER_PRIVATE_KEY: privateKey.optional(),
  DEPLOYMENTS_FILE: z.string().optional(),
  EXPLORER_URL: explorerUrl.optional(),
  /** How plans are paid; free plans need neither. */
  PAYMENT_RAILS: z
    .enum(["crypto,cards", "cards,crypto", "crypto", "cards"])
    .default("crypto,cards"),
  STRIPE_SECRET_KEY: stripeKey("(sk|rk)", "Expected sk_… or rk_…."),
  STRIPE_PUBLISHABLE_KEY: stripeKey("pk", "Expected pk_…."),
  STRIPE_WEBHOOK_SECRET: webhookSecrets,
  STRIPE_API_BASE: httpUrl.optional(),
  /** Builders' accounts with the processor, by the builder's address in lower case. */
  STRIPE_CONNECT_ACCOUNTS: z.string().default("").transform(readConnectedAccounts),
  /** What the platform keeps of card sales, in hundredths of a percent. */
  PLATFORM_FEE_BPS: whole(0, 10_000).default(0),
  PLATFORM_FEE_CONTROLLERS: z.string().default("").transform(readFeeControllers),
  WITHDRAWAL_WAIT_SECS: whole(0, 31_536_000).default(86_400),
  TURNPIKE_SMTP_URL: smtpUrl.optional(),
  TURNPIKE_MAIL_FROM: z.string().includes("@", "Expected an email address.").optional(),
  SCHEME_ALIASES: words("nvm"),
  /** Ports on this machine where agents may be called, in the sandbox only. */
  OUTBOUND_LOOPBACK_PORTS: z
    .string()
    .regex(/^\d{1,5}(,\s*\d{1,5})*$/, "Expected ports, comma-separated.")
    .transform((list) => list.split(",").map(Number))
    .optional(),
  SIGN_INS_PER_MINUTE: rate(30),
  API_CALLS_PER_MINUTE: rate(6000),
  VERIFICATIONS_PER_MINUTE: rate(600_000),
  PUBLIC_CALLS_PER_MINUTE: rate(1200),
  PAGES_PER_MINUTE: rate(3000),
  OUTBOUND_CALLS_PER_MINUTE: rate(60),
  /** Gas a day that the service pays for orders, and for transfers of stock servers. */
  ORDER_GAS_PER_ACCOUNT: gas,
  ORDER_GAS_PER_PLAN: gas,
  /** Gas a day that the service is expected to pay for in all; it refuses nothing. */
  EXPECTED_GAS_PER_DAY: gas,
  CRYPTO_FLOOR_CENTS: whole(0, 100_000).optional(),
  /** How many proxies before this service write `X-Forwarded-For`. */
  TRUSTED_PROXIES: whole(0, 10).default(0),
  LEDGER_MAX_BATCH: whole(1, 2000).optional(),
  REPORTS_KEPT_DAYS: keptDays(30, 30),
  DELIVERIES_KEPT_DAYS: keptDays(7, 90),
  MAILS_KEPT_DAYS: keptDays(7, 90),
  EVENTS_KEPT_DAYS: keptDays(30, 0),
  TURNPIKE_TRACING: flag,
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** No metrics are served without it. */
  METRICS_PORT: whole(0, 65_535).optional(),
  TURNPIKE_WORKERS: whole(1, 256).default(1),
  METRICS_HOST: z.string().default("127.0.0.1"),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
});
type Variables = z.output<typeof Variables>;
export const SETTING_NAMES: readonly string[] = Object.keys(Variables.shape);

/** A hundred orders an account and day, ten thousand a plan, fifty thousand in all. */
const LIVE_ORDER_GAS = { account: 60_000_000, plan: 6_000_000_000, day: 30_000_000_000 };

const LIVE_REQUIRED = {
  always: ["TURNPIKE_SECRET_KEY", "TURNPIKE_ORIGIN", "DATABASE_URL"],
  crypto: ["CHAIN_RPC_URL", "CHAIN_ID", "SETTLER_PRIVATE_KEY", "DEPLOYMENTS_FILE"],
  cards: ["STRIPE_SECRET_KEY", "STRIPE_PUBLISHABLE_KEY", "STRIPE_WEBHOOK_SECRET"],
} as const;

/** Reads the settings. Throws one Error that lists everything missing or malformed. */
export function readEnv(source: Record<string, string | undefined>): Env {
  const given = Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) =>
      value?.trim() ? [[name, value.trim()]] : [],
    ),
  );
  const parsed = Variables.safeParse(given);
  const missing = given.TURNPIKE_ENVIRONMENT === "live" ? missingInLive(given) : [];
  if (!parsed.success || missing.length > 0) {
    const issues = parsed.error?.issues ?? [];
    const faults = issues.map(({ path, message }) => `  ${path.join(".")}: ${message}`);
    if (faults.length > 0) faults.unshift("Some settings are invalid:");
    throw new Error([...faults, ...missing].join("\n"));
  }
  const variables = parsed.data;
  const portFault = findPortFault(variables);
  if (portFault) throw new Error(portFault);
  const rails = readRails(variables);
  if (variables.TURNPIKE_ENVIRONMENT !== "live" && !(rails.crypto && rails.cards)) {
    throw new Error("PAYMENT_RAILS is for live: the sandbox takes both.");
  }
  if (variables.CHAIN_RPC_URL && !variables.SETTLER_PRIVATE_KEY) {
    throw new Error(
      "CHAIN_RPC_URL needs SETTLER_PRIVATE_KEY: the key that pays the gas on that chain.",
    );
  }
  requireShared(variables);
  return settingsOf(variables);
}

/** Embedded parts belong to one process. */
function requireShared(variables: Variables): void {
  const { TURNPIKE_WORKERS, DATABASE_URL, CHAIN_RPC_URL, STRIPE_SECRET_KEY } = variables;
  const isShared = DATABASE_URL && CHAIN_RPC_URL && STRIPE_SECRET_KEY;
  if (TURNPIKE_WORKERS === 1 || variables.TURNPIKE_ENVIRONMENT === "live" || isShared) return;
  throw new Error(
    "TURNPIKE_WORKERS needs DATABASE_URL, CHAIN_RPC_URL and STRIPE_SECRET_KEY: the embedded parts run in one process only.",
  );
}

/** The service's settings, read and checked once at start. Nothing else reads the process's environment. */
export type Env = ReturnType<typeof settingsOf>;

function settingsOf(variables: Variables) {
  const { TURNPIKE_ENVIRONMENT: environment, PORT: port, TURNPIKE_DATA_DIR: dataDir } = variables;
  const deploymentsFile = variables.DEPLOYMENTS_FILE ?? join(dataDir, "deployments.json");
  return {
    environment,
    host: hostOf(variables),
    port,
    agentPort: variables.AGENT_PORT,
    dataDir: resolve(dataDir),
    origin: variables.TURNPIKE_ORIGIN ?? `http://localhost:${port}`,
    otherEnvironmentUrl: variables.OTHER_ENVIRONMENT_URL,
    explorerUrl: readExplorer(variables),
    secretKeys: variables.TURNPIKE_SECRET_KEY,
    databaseUrl: variables.DATABASE_URL,
    databaseReplicaUrl: variables.DATABASE_REPLICA_URL,
    rails: readRails(variables),
    chain: readChain(variables, deploymentsFile),
    deploymentsFile,
    /** Part of what tokens are signed for, also where nothing is paid on a chain. */
    chainId: variables.CHAIN_ID ?? (environment === "live" ? 8453 : 84532),
    stripe: readStripe(variables),
    connectedAccounts: variables.STRIPE_CONNECT_ACCOUNTS,
    platformFee: {
      defaultBps: variables.PLATFORM_FEE_BPS,
      byController: variables.PLATFORM_FEE_CONTROLLERS,
    },
    withdrawalWaitSecs: variables.WITHDRAWAL_WAIT_SECS,
    smtp: readSmtp(variables),
    schemeAliases: variables.SCHEME_ALIASES,
    outboundLoopbackPorts: variables.OUTBOUND_LOOPBACK_PORTS,
    rates: {
      signIn: variables.SIGN_INS_PER_MINUTE,
      api: variables.API_CALLS_PER_MINUTE,
      verify: variables.VERIFICATIONS_PER_MINUTE,
      outbound: variables.OUTBOUND_CALLS_PER_MINUTE,
      publicCalls: variables.PUBLIC_CALLS_PER_MINUTE,
      pages: variables.PAGES_PER_MINUTE,
    } satisfies RatesPerMinute,
    orderLimits: readOrderLimits(variables),
    trustedProxies: variables.TRUSTED_PROXIES,
    ledgerMaxBatch: variables.LEDGER_MAX_BATCH,
    keptDays: readKeptDays(variables),
    isTracing: variables.TURNPIKE_TRACING,
    otlpEndpoint: variables.OTEL_EXPORTER_OTLP_ENDPOINT,
    metrics: readMetrics(variables),
    workers: variables.TURNPIKE_WORKERS,
    logLevel: variables.LOG_LEVEL,
  };
}

const readRails = ({ PAYMENT_RAILS: rails }: Variables) => ({
  crypto: rails.includes("crypto"),
  cards: rails.includes("cards"),
});

function readChain(variables: Variables, deploymentsFile = "") {
  const rpcUrl = variables.CHAIN_RPC_URL;
  if (!rpcUrl || !readRails(variables).crypto) return undefined;
  return {
    rpcUrl,
    chainId: variables.CHAIN_ID ?? 84532,
    settlerPrivateKey: variables.SETTLER_PRIVATE_KEY ?? "",
    deploymentsFile,
  };
}

const EXPLORERS: Record<number, string> = {
  8453: "https://basescan.org",
  84532: "https://sepolia.basescan.org",
};

/** The embedded chain has no explorer. */
const readExplorer = (variables: Variables): string | undefined =>
  (variables.EXPLORER_URL ?? EXPLORERS[readChain(variables)?.chainId ?? 0])?.replace(/\/+$/, "");

/** Gas costs nothing on the sandbox's own chain, so it has no budget and no floor unless they are set. */
function readOrderLimits(variables: Variables) {
  const isLive = variables.TURNPIKE_ENVIRONMENT === "live";
  return {
    gasPerAccount: variables.ORDER_GAS_PER_ACCOUNT ?? (isLive ? LIVE_ORDER_GAS.account : 0),
    gasPerPlan: variables.ORDER_GAS_PER_PLAN ?? (isLive ? LIVE_ORDER_GAS.plan : 0),
    expectedGasPerDay: variables.EXPECTED_GAS_PER_DAY ?? (isLive ? LIVE_ORDER_GAS.day : 0),
    floorCents: BigInt(variables.CRYPTO_FLOOR_CENTS ?? (isLive || variables.CHAIN_RPC_URL ? 1 : 0)),
  };
}

function readMetrics({ METRICS_PORT: port, METRICS_HOST: host }: Variables) {
  return port === undefined ? undefined : { port, host };
}

function readSmtp({ TURNPIKE_SMTP_URL: url, TURNPIKE_MAIL_FROM: from }: Variables) {
  if (url && !from) throw new Error("TURNPIKE_SMTP_URL needs TURNPIKE_MAIL_FROM: the sender.");
  return url && from ? { url, from } : undefined;
}

function missingInLive(given: Record<string, string>): string[] {
  const rails = given.PAYMENT_RAILS ?? "crypto,cards";
  const [crypto, cards] = [rails.includes("crypto"), rails.includes("cards")];
  const needed = [
    ...LIVE_REQUIRED.always,
    ...(crypto ? LIVE_REQUIRED.crypto : []),
    ...(cards ? LIVE_REQUIRED.cards : []),
  ];
  const missing = needed.filter((name) => given[name] === undefined).map((name) => `  ${name}`);
  if (missing.length === 0) return [];
  return [
    "TURNPIKE_ENVIRONMENT=live needs every setting below. Missing:",
    ...missing,
    ...(crypto && cards ? ["To sell by one way only, set PAYMENT_RAILS to crypto or cards."] : []),
  ];
}

/** All three or none: without its webhook, a charge would never be confirmed. */
function readStripe(variables: Variables) {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: apiBase } = variables;
  const { STRIPE_PUBLISHABLE_KEY: publishableKey, STRIPE_WEBHOOK_SECRET: webhookSecrets } =
    variables;
  if (!readRails(variables).cards) return undefined;
  if (!secretKey && !publishableKey && !webhookSecrets && !apiBase) return undefined;
  if (!secretKey || !publishableKey || !webhookSecrets) {
    throw new Error(
      "Set STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET together, or none of them.",
    );
  }
  const isLive = variables.TURNPIKE_ENVIRONMENT === "live";
  if (isLive && /^(sk|rk)_test_/.test(secretKey))
    throw new Error("STRIPE_SECRET_KEY is a test key; live needs a live one.");
  if (!isLive && /^(sk|rk)_live_/.test(secretKey))
    throw new Error("STRIPE_SECRET_KEY is a live key; the sandbox needs a test one.");
  return { secretKey, publishableKey, webhookSecrets, apiBase };
}

function readSecretKeys(list: string): [Uint8Array, ...Uint8Array[]] {
  const [newest = "", ...older] = list.split(",").map((key) => key.trim());
  return [keyBytes(newest), ...older.map(keyBytes)];
}

export const keyBytes = (hex: string): Uint8Array =>
  Uint8Array.from(Buffer.from(hex.replace(/^0x/, ""), "hex"));

/** 32 fresh random bytes as hex. */
export const newSecretKey = (): string => randomBytes(32).toString("hex");
