import { Command } from "commander";

const AREAS: Record<string, () => Promise<{ run: (options: { secs: number }) => Promise<void> }>> =
  {
    service: () => import("./service.ts"),
    chain: () => import("./chain.ts"),
    exact: () => import("./exact.ts"),
    gate: () => import("./gate.ts"),
  };

const program = new Command("npm run bench --")
  .description("Measures Turnpike on this machine. Compare figures within one run only.")
  .argument("[areas...]", `what to measure: ${Object.keys(AREAS).join(", ")} (default: all)`)
  .option("--secs <n>", "seconds per load", "5")
  .parse();

const asked = program.args.length > 0 ? program.args : Object.keys(AREAS);
for (const area of asked) {
  const load = AREAS[area];
  if (!load) program.error(`Unknown area "${area}". Choose from ${Object.keys(AREAS).join(", ")}.`);
  else await (await load()).run({ secs: Number(program.opts<{ secs: string }>().secs) });
}
