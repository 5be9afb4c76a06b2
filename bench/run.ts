import { Command } from "commander";
import { type BenchOptions, documentOf, keep, type Measured } from "./ratios.ts";

type Area = { run: (options: BenchOptions) => Promise<Measured> };
const AREAS: Record<string, () => Promise<Area>> = {
  service: () => import("./service.ts"),
  chain: () => import("./chain.ts"),
  exact: () => import("./exact.ts"),
  gate: () => import("./gate.ts"),
  events: () => import("./events.ts"),
  profile: () => import("./profile.ts"),
};

/** Those that compare with a peer: in a few minutes, every ratio. */
const COMPARED = ["service", "gate"];

const program = new Command("npm run bench --")
  .description(
    "Measures Turnpike on this machine beside its peers: plain Hono, pgbench and stock @x402/hono. Compare figures within one run only.",
  )
  .argument(
    "[areas...]",
    `what to measure: ${Object.keys(AREAS).join(", ")} (default: ${COMPARED.join(" and ")}, which have ratios)`,
  )
  .option("--secs <n>", "seconds per load", "5")
  .option("--json", "print one JSON document with the ratios and figures; the text goes to stderr")
  .option("--keep <file>", "add the document to a file, one line a run")
  .parse();

const {
  secs,
  json,
  keep: history,
} = program.opts<{
  secs: string;
  json?: true;
  keep?: string;
}>();
const say = json ? console.error : console.log;
const measured: Record<string, Measured> = {};
for (const area of program.args.length > 0 ? program.args : COMPARED) {
  const load = AREAS[area];
  if (!load) program.error(`Unknown area "${area}". Choose from ${Object.keys(AREAS).join(", ")}.`);
  else measured[area] = await (await load()).run({ secs: Number(secs), say });
}
const document = documentOf(measured);
if (history) await keep(history, document);
if (json) console.log(JSON.stringify(document, null, 2));
else {
  const found = Object.entries(document.ratios).filter(([, value]) => value !== null);
  if (found.length > 0)
    say(`\n  ratios: ${found.map(([name, value]) => `${name} ${value}`).join(", ")}`);
}
