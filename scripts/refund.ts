import { readFileSync } from "node:fs";
import { Command } from "commander";
import { bootService } from "../lib/server/boot.ts";
import { readEnv } from "../lib/server/env.ts";
import { silentProgress } from "../lib/server/progress.ts";
import { loadDotEnv } from "../lib/server/settings/load-settings.ts";
import { readRefundIds, refundAsOperator } from "../lib/server/tools/refund-as-operator.ts";
import { failPlainly } from "./fail-plainly.ts";

const command = new Command("npm run refund --")
  .description(
    "Refunds settled calls and orders as the operator, for a builder who can't or doesn't; see docs/account-requests.md. Names each refund, and changes nothing without --apply. An OPEN one is in progress: Refunds shows its outcome. What is refunded already is left alone, so the command can be repeated. Exits with 1 if anything is left to a person. With an embedded database, stop the sandbox first.",
  )
  .argument(
    "<file>",
    "a call (`builder/agentRequestId`) or an order's id in each line, alone or as the first value of CSV",
  )
  .option("--apply", "make the refunds")
  .option("--reason <text>", "shown to both sides", "Refunded by the operator")
  .parse();
const { apply: isApplying = false, reason } = command.opts<{ apply?: boolean; reason: string }>();

const LABELS = {
  proposed: "PROPOSED",
  refunded: "REFUNDED",
  open: "OPEN    ",
  before: "BEFORE  ",
  person: "PERSON  ",
} as const;

failPlainly();
const ids = readRefundIds(readFileSync(command.args[0] ?? "", "utf8"));
loadDotEnv();
const env = { ...readEnv(process.env), logLevel: "silent" as const };
const { ports, close } = await bootService(env, silentProgress, "tool");
try {
  let proposed = 0;
  for (const id of ids) {
    const { state, detail } = await refundAsOperator(ports, id, { isApplying, reason });
    console.log(`${LABELS[state]}  ${detail}\n          ${id}`);
    if (state === "person") process.exitCode = 1;
    if (state === "proposed") proposed += 1;
  }
  if (proposed > 0) console.log(`\nNothing was changed. To make ${proposed} refunds: add --apply`);
} finally {
  await close();
}
