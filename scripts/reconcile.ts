import { join } from "node:path";
import { Command } from "commander";
import { readSandboxFile } from "../lib/sandbox/sandbox-file.ts";
import { type Booted, bootService } from "../lib/server/boot.ts";
import { loadDotEnv, readEnv } from "../lib/server/env.ts";
import { silentProgress } from "../lib/server/progress.ts";

const options = new Command("npm run reconcile --")
  .description(
    "Compares the credits in the ledger and on chain, and prints every difference with its reason, and every event of the contracts that the ledger did not ask for. If a sandbox is running, prints the result of its last comparison.",
  )
  .option(
    "--explain <id>",
    "record that a finding was examined, so that it no longer stops sales; `all` for every open one",
  )
  .option("--note <text>", "what was found; required with --explain")
  .parse()
  .opts<{ explain?: string; note?: string }>();

loadDotEnv();
const env = readEnv(process.env);
if (options.explain && !options.note?.trim()) {
  console.error('Say what was found: --note "…".');
  process.exit(1);
}
const result =
  options.explain || env.databaseUrl
    ? await compare()
    : ((await askRunning()) ?? (await compare()));
console.log(
  JSON.stringify(result, (_, value) => (typeof value === "bigint" ? `${value}` : value), 2),
);
process.exitCode = `${result.difference}` === "0" && `${result.openFindings}` === "0" ? 0 : 1;

/** With the service's settings. An embedded database allows one process: stop a sandbox first. */
async function compare(): Promise<Record<string, unknown>> {
  const { chain, close } = await bootService({ ...env, logLevel: "silent" }, silentProgress);
  try {
    const { reconciler, findings: book } = chain;
    if (!reconciler || !book)
      throw new Error("PAYMENT_RAILS=cards: there is no chain to compare with.");
    if (options.explain) await explain({ reconciler, findings: book }, options.explain);
    const comparison = await reconciler.run();
    const findings = await book.listOpen();
    return { ...comparison, openFindings: findings.length, findings };
  } finally {
    await close();
  }
}

async function explain(
  { reconciler, findings }: Required<Pick<Booted["chain"], "reconciler" | "findings">>,
  id: string,
): Promise<void> {
  // What happened since the last look is found first, so that `all` is what the chain says now.
  await reconciler.run();
  const explained = await findings.explain(id === "all" ? null : id, options.note ?? "");
  if (explained === 0) throw new Error(`There is no open finding ${id}.`);
  console.error(`Explained ${explained} ${explained === 1 ? "finding" : "findings"}.`);
}

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
