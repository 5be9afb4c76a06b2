import { Command } from "commander";

new Command("node server.mjs")
  .description(
    "Starts the live service, with the settings of the environment and of .env in this folder, which docs/guides/going-live.md describes. The tools beside it are preflight.mjs, account.mjs, reconcile.mjs, refund.mjs, repair.mjs and rotate-keys.mjs; each has --help.",
  )
  .allowExcessArguments(false)
  .parse();

await import("../../lib/server/main.ts");
