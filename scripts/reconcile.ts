import { join } from "node:path";
import { Command } from "commander";
import { readSandboxFile } from "../lib/sandbox/sandbox-file.ts";
import { bootService } from "../lib/server/boot.ts";
import { loadDotEnv, readEnv } from "../lib/server/env.ts";
import { silentProgress } from "../lib/server/progress.ts";

new Command("npm run reconcile")
  .description(
    "Compares the credits in the ledger and on chain, and prints every difference with its reason. If a sandbox is running, prints the result of its last comparison.",
  )
  .parse();

loadDotEnv();
const env = readEnv(process.env);
const result = env.databaseUrl ? await compare() : ((await askRunning()) ?? (await compare()));
console.log(
  JSON.stringify(result, (_, value) => (typeof value === "bigint" ? `${value}` : value), 2),
);
process.exitCode = `${result.difference}` === "0" ? 0 : 1;

async function compare() {
  const { chain, close } = await bootService({ ...env, logLevel: "silent" }, silentProgress);
  try {
    return await chain.reconciler.run();
  } finally {
    await close();
  }
}

/** An embedded database allows one process, so ask a running sandbox. */
async function askRunning(): Promise<Record<string, string | number> | null> {
  const sandbox = await readSandboxFile(join(env.dataDir, "sandbox.json")).catch(() => null);
  if (!sandbox) return null;
  const answer = await fetch(`${sandbox.url}/api/v1/health`).catch(() => null);
  if (!answer) return null;
  const health = (await answer.json()) as {
    checks: { chain?: { facts?: Record<string, string | number> } };
  };
  const facts = health.checks.chain?.facts ?? {};
  if ("difference" in facts) return facts;
  throw new Error(
    "The sandbox has just started and has not reconciled yet. Try again in a minute.",
  );
}
