import { existsSync, readFileSync, statSync } from "node:fs";
import { relative } from "node:path";
import { Stryker } from "@stryker-mutator/core";
import { Command } from "commander";
import { createRandom } from "@/lib/testing/seeded-random.ts";

const MONEY_PATH = [
  "lib/domain/permissions/{decide,amount-to-take,refusal,causes}.ts",
  "lib/domain/permissions/{token-fault,agent-fault,budget-fault,order-terms}.ts",
  "lib/sdk/gate/{paid-call,paid-work,leases}.ts",
  "lib/sdk/gate/verdict/{outcome,stream-verdict}.ts",
];
/** A sample takes whole blocks of this many lines. */
const BLOCK = 15;
const BAR = 85;

const program = new Command("node scripts/proof/mutation/run.ts")
  .description("Changes the code, one mutant at a time, and counts those that a test notices.")
  .argument("[paths...]", "files, patterns or folders", MONEY_PATH)
  .option("--share <percent>", "how much of each file to change; needs files, not patterns", "100")
  .option("--seed <n>", "which part of it", "1")
  .parse();
const { share, seed } = program.opts<{ share: string; seed: string }>();
const random = createRandom(Number(seed));

const mutants = await new Stryker({
  mutate: program.processedArgs[0].flatMap(rangesOf),
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "scripts/proof/mutation/vitest.config.ts" },
  coverageAnalysis: "perTest",
  // What runs once, when a module is loaded, would need a process for each mutant.
  ignoreStatic: true,
  concurrency: 2,
  tsconfigFile: "none",
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  ignorePatterns: [".next", "docs", "public", "screens", "e2e"],
  tempDirName: ".turnpike-mutation",
}).runMutationTest();

const counted = mutants.filter(
  ({ status }) => !["Ignored", "CompileError", "RuntimeError"].includes(status),
);
const killed = counted.filter(({ status }) => status === "Killed" || status === "Timeout");
for (const file of new Set(counted.map(({ fileName }) => fileName))) {
  const isOfFile = ({ fileName }: { fileName: string }) => fileName === file;
  console.log(
    `mutation: ${relative(".", file)}: ${scoreOf(killed.filter(isOfFile).length, counted.filter(isOfFile).length)}`,
  );
}
const ignored = mutants.length - counted.length;
console.log(`mutation: all ${scoreOf(killed.length, counted.length)}, ${ignored} left out`);
if (counted.length === 0 || killed.length < (counted.length * BAR) / 100) process.exitCode = 1;

function scoreOf(some: number, all: number): string {
  return `${some} of ${all} mutants killed, score ${all === 0 ? 0 : ((100 * some) / all).toFixed(1)}`;
}

/** A file as it is, or a drawn share of its blocks; all files of a folder but its tests. */
function rangesOf(path: string): string[] {
  if (!existsSync(path)) return [path];
  if (statSync(path).isDirectory()) {
    return [`${path}/**/*.ts`, `!${path}/**/*.test.ts`, `!${path}/**/testing/**`];
  }
  if (share === "100") return [path];
  const lines = readFileSync(path, "utf8").split("\n").length;
  return Array.from({ length: Math.ceil(lines / BLOCK) }, (_, at) => at * BLOCK + 1)
    .filter(() => random.chance(Number(share)))
    .map((from) => `${path}:${from}-${Math.min(lines, from + BLOCK - 1)}`);
}
