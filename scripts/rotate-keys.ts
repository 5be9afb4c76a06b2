import { Command } from "commander";
import { readEnv } from "../lib/server/env.ts";
import { openDatabaseOf } from "../lib/server/open-database.ts";
import { silentProgress } from "../lib/server/progress.ts";
import { loadDotEnv } from "../lib/server/settings/load-settings.ts";
import { rotateKeys } from "../lib/server/tools/rotate-keys.ts";
import { failPlainly } from "./fail-plainly.ts";

new Command("npm run rotate-keys")
  .description(
    "Re-encrypts every stored secret under the first key of TURNPIKE_SECRET_KEY, beside running services. Exits with 1 when some open under none of the keys; their rows are listed.",
  )
  .parse();

failPlainly();
loadDotEnv();
const env = readEnv(process.env);
const sandbox =
  env.environment === "sandbox" && !env.databaseUrl
    ? await import("../lib/sandbox/open-sandbox.ts").then((sandbox) =>
        sandbox.openSandbox(env, silentProgress),
      )
    : undefined;
const rootKeys = env.secretKeys ?? (sandbox && [sandbox.secretKey]);
if (!rootKeys) {
  console.error("Set TURNPIKE_SECRET_KEY first: the new key, a comma, and the old one.");
  process.exit(1);
}
const database = await openDatabaseOf(env, silentProgress, { as: "tool" });
try {
  const columns = await rotateKeys({ database, rootKeys });
  for (const { name, resealed, unreadable } of columns) {
    console.log(`${name}: ${resealed} sealed anew, ${unreadable.length} unreadable`);
    for (const id of unreadable) console.log(`  ${id}`);
  }
  if (columns.some(({ unreadable }) => unreadable.length > 0)) process.exitCode = 1;
} finally {
  await database.close();
  await sandbox?.close();
}
