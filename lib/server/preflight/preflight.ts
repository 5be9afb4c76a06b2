import "server-only";
import { CHAIN_NETWORKS } from "@turnpike/payments/protocol";
import { readDeployment } from "@/lib/adapters/chain/deployment.ts";
import { deploymentWithoutChain } from "@/lib/adapters/chain/free-rail.ts";
import type { MadeFor } from "@/lib/adapters/db/chain/made-for.ts";
import { readSchemaState } from "@/lib/adapters/db/connections/schema-state.ts";
import { type Env, readEnv } from "../env.ts";
import { findUnknownNames } from "../settings/unknown-names.ts";
import { cardAccountCheck, cardChecks, leftOutChecks } from "./card-checks.ts";
import { chainChecks } from "./chain-checks.ts";
import { type Check, type CheckResult, Fault, runCheck } from "./check.ts";
import { databaseChecks, withDatabase } from "./database-checks.ts";
import { edgeChecks } from "./edge-checks.ts";
import { optionalChecks } from "./optional-checks.ts";
import { payOneCall } from "./paid-call.ts";

export type Preflight = { ok: boolean; checks: CheckResult[] };

export type PreflightOptions = {
  /** The settings, as the service will have them. */
  source: Record<string, string | undefined>;
  now?: () => Date;
  /** Told of each result as it comes. */
  onResult?: (result: CheckResult) => void;
  /** Leave the paid call out. */
  withoutCall?: boolean;
};

/**
 * Walks the going-live list against the real parts, and makes one paid call when everything else holds. It changes
 * nothing else; a database with pending migrations is left as it is, without the call.
 *
 * @example const { ok, checks } = await preflight({ source: settings });
 */
export async function preflight(options: PreflightOptions): Promise<Preflight> {
  const { source, now = () => new Date(), onResult = () => {}, withoutCall = false } = options;
  const results: CheckResult[] = [];
  const run = async (checks: readonly Check[]) => {
    for (const check of checks) {
      const result = await runCheck(check);
      onResult(result);
      results.push(result);
    }
  };
  const read: { env?: Env } = {};
  await run([
    {
      name: "settings",
      run: async () => {
        read.env = readSettings(source);
        const rails = Object.entries(read.env.rails).flatMap(([name, on]) => (on ? [name] : []));
        const warnings = findUnknownNames(source).map((unknown) => ` WARNING: ${unknown}`);
        return `live, ${rails.join(" and ")}${warnings.join("")}`;
      },
    },
  ]);
  const { env } = read;
  if (env) {
    await run(checksOf(env, now));
    if (!withoutCall)
      await run([
        paidCall(
          env,
          results.every(({ ok }) => ok),
        ),
      ]);
  }
  return { ok: results.every(({ ok }) => ok), checks: results };
}

function readSettings(source: PreflightOptions["source"]): Env {
  const remedy =
    ".env.example describes every setting; docs/guides/going-live.md says where each comes from.";
  if (source.TURNPIKE_ENVIRONMENT !== "live") {
    throw new Fault("TURNPIKE_ENVIRONMENT is not live.", "Set TURNPIKE_ENVIRONMENT=live.");
  }
  try {
    return readEnv(source);
  } catch (cause) {
    throw new Fault(cause instanceof Error ? cause.message.replaceAll(/\n */g, " ") : "", remedy);
  }
}

function checksOf(env: Env, now: () => Date): Check[] {
  const { chain, stripe, databaseUrl = "", secretKeys = [] } = env;
  return [
    { name: "secret key", run: async () => checkSecretKeys(secretKeys) },
    ...databaseChecks({
      url: databaseUrl,
      secretKeys,
      madeFor: (plans) => madeForOf(env, plans),
      now,
      workers: env.workers,
    }),
    ...(chain ? chainChecks(chain, { network: CHAIN_NETWORKS[env.environment], now }) : []),
    ...(stripe ? [...cardChecks(stripe, env), cardAccountCheck(stripe, env)] : leftOutChecks(env)),
    ...optionalChecks(env),
    ...edgeChecks(env, now),
  ];
}

/** What a database with the contract `plans` is wanted for; null while the file of contracts cannot be read: another check says so. */
function madeForOf(
  { environment, chain, chainId, deploymentsFile }: Env,
  plans: string,
): MadeFor | null {
  try {
    const found = chain
      ? readDeployment(deploymentsFile, chainId)
      : deploymentWithoutChain(chainId, { deploymentsFile, plans });
    return found ? { environment, chainId, plans: found.plans } : null;
  } catch {
    return null;
  }
}

/** The form of the keys is checked with the settings; here, whether anyone could guess one. */
function checkSecretKeys(keys: readonly Uint8Array[]): string {
  const isGuessable = keys.some((key) => new Set(key).size < 12);
  if (!isGuessable) return `${keys.length === 1 ? "32 random bytes" : `${keys.length} keys`}`;
  throw new Fault(
    "TURNPIKE_SECRET_KEY repeats itself and can be guessed.",
    "Make one with openssl rand -hex 32. If it has sealed data, follow “Changing the root key” in docs/operations.md.",
  );
}

const paidCall = (env: Env, isReady: boolean): Check => ({
  name: "paid call",
  async run() {
    if (!isReady) {
      throw new Fault("Not made, because a check above failed.", "Correct those first.");
    }
    const { pending } = await withDatabase(env.databaseUrl ?? "", readSchemaState);
    if (pending > 0) {
      throw new Fault(
        `Not made: ${pending} migrations are pending.`,
        "Back up the database, start this release, and run this again.",
      );
    }
    return payOneCall(env);
  },
});
