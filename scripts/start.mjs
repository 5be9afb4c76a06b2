// `npm start`: installs and builds if needed, then runs everything in this process. `--api-only` leaves the pages out.
// Its script begins with `exec`, so that npm's SIGTERM reaches this process and not a shell (Windows has no `exec`).
import cluster from "node:cluster";
import { readFileSync } from "node:fs";
import module from "node:module";
import { BUILT_SERVICE } from "./build-service.mjs";
import { ensureBuilt, ensureInstalled, ensureNode, ROOT } from "./ensure.mjs";
import { ignoreRepeatedSignals } from "./repeated-signals.mjs";
import { markServing, refuseSecond } from "./served.mjs";

const isDev = process.argv.includes("--dev");
const isApiOnly = process.argv.includes("--api-only");

process.chdir(ROOT);
ensureNode();
process.env.NEXT_TELEMETRY_DISABLED = "1";
process.env.NODE_ENV = isDev ? "development" : "production";
// A worker runs what its parent has prepared.
if (!cluster.isWorker) {
  await refuseSecond();
  await ensureInstalled({ forDevelopment: isDev });
  if (!isDev && !isApiOnly) {
    await ensureBuilt();
    await markServing();
  }
}
ignoreRepeatedSignals(process);
if (isDev || isApiOnly) {
  await import("./typescript.mjs");
  await import(isApiOnly ? "../lib/server/service.ts" : "../lib/server/main.ts");
} else {
  // Node.js 22 and newer keep what they compile; the next build removes it.
  module.enableCompileCache?.(".next/compiled");
  // The settings that the pages were built with: Next would read and check them twice more.
  const { config } = JSON.parse(readFileSync(".next/required-server-files.json", "utf8"));
  process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(config);
  await import(`../${BUILT_SERVICE}`);
}
