import { join } from "node:path";
import { Command } from "commander";
import { readSandboxFile } from "../lib/sandbox/sandbox-file.ts";
import { type Booted, bootService } from "../lib/server/boot.ts";
import { processorOf } from "../lib/server/card-services.ts";
import { explainSeen, listOpenItems, type OpenItem } from "../lib/server/comparison/explain.ts";
import { readEnv } from "../lib/server/env.ts";
import { silentProgress } from "../lib/server/progress.ts";
import { loadDotEnv } from "../lib/server/settings/load-settings.ts";
import { failPlainly } from "./fail-plainly.ts";

const options = new Command("npm run reconcile --")
  .description(
    "Compares the credits in the ledger and on chain, and prints every difference with its reason, every event of the contracts that the ledger did not ask for, how the ledger and the card processor differ, and the sums of card money. With --rules also checks every rule of the ledger for all of its rows. If a sandbox is running, prints the result of its last comparison.",
  )
  .option(
    "--explain <id>",
    "record that a finding or difference was examined, so that it no longer stops sales; `all` for every one that was open before this comparison; each is printed",
  )
  .option("--note <text>", "what was found; required with --explain")
  .option("--rules", "check every rule of the ledger: minutes at millions of rows")
  .parse()
  .opts<{ explain?: string; note?: string; rules?: boolean }>();

failPlainly();
loadDotEnv();
const env = readEnv(process.env);
if (options.explain && !options.note?.trim()) {
  console.error('Say what was found: --note "…".');
  process.exit(1);
}
const result =
  options.explain || options.rules || env.databaseUrl
    ? await compare()
    : ((await askRunning()) ?? (await compare()));
console.log(
  JSON.stringify(result, (_, value) => (typeof value === "bigint" ? `${value}` : value), 2),
);
const open = [result.difference ?? 0, result.openFindings, result.openDifferences ?? 0];
const broken = Array.isArray(result.brokenRules) ? result.brokenRules.length : 0;
process.exitCode = open.every((count) => `${count}` === "0") && broken === 0 ? 0 : 1;

/** With the service's settings. An embedded database allows one process: stop a sandbox first. */
async function compare(): Promise<Record<string, unknown>> {
  const booted = await bootService({ ...env, logLevel: "silent" }, silentProgress, "tool");
  const { ports, cards, chain, comparison, close } = booted;
  const { differences } = comparison;
  try {
    const { reconciler, findings: book } = chain;
    // No one has seen yet what this comparison finds.
    const seen = await listOpenItems({ findings: book, differences });
    await comparison.compareNow(ports, processorOf(cards));
    if (options.explain) await explain(booted, seen, options.explain);
    const onChain = reconciler && (await reconciler.run());
    const findings = (await book?.listOpen()) ?? [];
    const open = await differences.listOpen();
    return {
      ...onChain,
      openFindings: findings.length,
      findings,
      openDifferences: open.length,
      cardDifferences: open,
      cardMoney: await differences.sumMoney(),
      ...(options.rules && { brokenRules: await differences.checkAllRules() }),
    };
  } finally {
    await close();
  }
}

async function explain(
  { chain: { findings }, comparison: { differences } }: Booted,
  seen: OpenItem[],
  id: string,
): Promise<void> {
  const note = options.note ?? "";
  const explained = await explainSeen({ findings, differences }, seen, { id, note });
  if (explained.length === 0) throw new Error(`There is no open finding or difference ${id}.`);
  for (const item of explained) console.error(`Explained ${item.id}: ${item.detail}`);
}

async function askRunning(): Promise<Record<string, string | number> | null> {
  const sandbox = await readSandboxFile(join(env.dataDir, "sandbox.json")).catch(() => null);
  if (!sandbox) return null;
  const answer = await fetch(`${sandbox.url}/api/v1/health`).catch(() => null);
  if (!answer) return null;
  type Part = { facts?: Record<string, string | number>; degraded?: string };
  const { checks } = (await answer.json()) as { checks: { chain?: Part; ledger?: Part } };
  const { ledger } = checks;
  const facts = { ...checks.chain?.facts, ...ledger?.facts };
  if ("difference" in facts) {
    return { ...facts, ...(ledger?.degraded && { cardDifferences: ledger.degraded }) };
  }
  throw new Error(
    "The sandbox has just started and has not reconciled yet. Try again in a minute.",
  );
}
