import { Command } from "commander";
import { applyRepairs, type RepairOutcome } from "../lib/domain/reconciliation/apply-repairs.ts";
import type { ProcessorRecords } from "../lib/domain/reconciliation/processor-records.ts";
import { planRepairs, type RepairParts } from "../lib/domain/reconciliation/repair.ts";
import { type Booted, bootService } from "../lib/server/boot.ts";
import { processorOf } from "../lib/server/card-services.ts";
import { listBalanceRepairs } from "../lib/server/comparison/balance-repairs.ts";
import { readEnv } from "../lib/server/env.ts";
import { silentProgress } from "../lib/server/progress.ts";
import { loadDotEnv } from "../lib/server/settings/load-settings.ts";
import { failPlainly } from "./fail-plainly.ts";

const options = new Command("npm run repair --")
  .description(
    "Lists everything that differs between ledger, card processor and chain, and proposes what a restored ledger has forgotten: orders whose payment the card processor or the chain proves. Prints the plan and writes no order without --apply. What neither proves is listed for a person. Balances are compared as the service does each minute, which takes back credits on chain whose burn it refused or whose payment was refunded. Exits with 1 while anything is open. With an embedded database, stop the sandbox first.",
  )
  .option("--apply", "write the proposed orders and grant their credits, as a purchase does")
  .option("--json", "print one JSON document")
  .parse()
  .opts<{ apply?: boolean; json?: boolean }>();

const LABELS = {
  proposed: "PROPOSED",
  applied: "APPLIED ",
  failed: "FAILED  ",
  later: "LATER   ",
  person: "PERSON  ",
} as const;

const without = (rail: string) => async () => {
  throw new Error(`A difference is of ${rail}, which PAYMENT_RAILS leaves out.`);
};
const NO_RECORDS: ProcessorRecords = {
  listSince: without("cards"),
  findPayment: without("cards"),
  findTransfer: without("cards"),
};
const NO_CHAIN: RepairParts["chain"] = {
  listOpen: async () => [],
  writePaid: without("crypto"),
  close: without("crypto"),
};

failPlainly();
loadDotEnv();
const booted = await bootService(
  { ...readEnv(process.env), logLevel: "silent" },
  silentProgress,
  "tool",
);
try {
  const outcomes = await repair(booted);
  if (options.json) console.log(JSON.stringify({ repairs: outcomes }, null, 2));
  else print(outcomes, booted);
  process.exitCode = outcomes.every(({ state }) => state === "applied") ? 0 : 1;
} finally {
  await booted.close();
}

async function repair({ ports, cards, chain, comparison }: Booted): Promise<RepairOutcome[]> {
  const { differences, findVersion } = comparison;
  const { repairs: onChain, reconciler, findings, watch } = chain;
  const compare = () => comparison.compareNow(ports, processorOf(cards));
  const parts = {
    ports,
    records: cards?.records ?? NO_RECORDS,
    differences,
    scheme: cards?.rail.scheme ?? "",
  };
  await compare();
  await watch?.();
  const isApplying = options.apply === true;
  const plan = await planRepairs({ ...parts, findVersion, chain: onChain ?? NO_CHAIN });
  const outcomes = await applyRepairs(plan, { isApplying });
  // Agreed differences are resolved, so that sales resume.
  if (options.apply) await compare();
  if (!reconciler || !findings) return outcomes;
  const balances = await listBalanceRepairs({ reconciler, findings });
  return [...outcomes, ...(await applyRepairs(balances, { isApplying }))];
}

function print(outcomes: readonly RepairOutcome[], { cards, chain }: Booted): void {
  const parts = ["Ledger", cards && "card processor", chain.watch && "chain"].filter(Boolean);
  const compared = new Intl.ListFormat("en-GB").format(parts.map(String));
  if (outcomes.length === 0) console.log(`${compared} agree.`);
  for (const { state, id, detail, proposal } of outcomes) {
    console.log(`${LABELS[state]}  ${detail}\n          ${proposal}\n          ${id}`);
  }
  const isProposed = outcomes.some(({ state }) => state === "proposed");
  if (isProposed)
    console.log("\nNothing was changed. To write these orders: npm run repair -- --apply");
}
