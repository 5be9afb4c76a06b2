import { Command } from "commander";
import type { CheckResult } from "../lib/server/preflight/check.ts";
import { preflight } from "../lib/server/preflight/preflight.ts";
import { loadDotEnv } from "../lib/server/settings/load-settings.ts";
import { failPlainly } from "./fail-plainly.ts";

const options = new Command("npm run preflight --")
  .description(
    "Checks a live deployment against its real parts with the service's settings, and makes one paid call of one free credit. Start the service first. Exits with 0 when everything holds, otherwise with 1.",
  )
  .option("--json", "print one JSON document only", false)
  .option("--no-call", "leave the paid call out")
  .parse()
  .opts<{ json: boolean; call: boolean }>();

failPlainly();
loadDotEnv();
const result = await preflight({
  source: process.env,
  withoutCall: !options.call,
  ...(!options.json && { onResult: print }),
});
if (options.json) console.log(JSON.stringify(result, null, 2));
else console.log(result.ok ? "\nReady." : `\nNot ready: ${failed(result.checks)}.`);
process.exitCode = result.ok ? 0 : 1;

function print({ name, ok, found, cause, remedy }: CheckResult): void {
  console.log(`${ok ? "ok    " : "FAILED"} ${name.padEnd(22)} ${ok ? found : cause}`);
  if (!ok) console.log(`${" ".repeat(30)}${remedy}`);
}

function failed(checks: readonly CheckResult[]): string {
  return checks.flatMap(({ name, ok }) => (ok ? [] : [name])).join(", ");
}
