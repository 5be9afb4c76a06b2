// `npm test`: everything a change must pass, cheapest first; stops at the first failure.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { checkBuildable, ensureBuilt, ensureInstalled, ensureNode, ROOT, run } from "./ensure.mjs";

// One browser test per way through the product; its variants, marked @long, run in `npm run e2e` and the proof.
const SHORT = ["--grep-invert", "@long"];
const start = Date.now();
const node = (script, ...args) => [process.execPath, [script, ...args]];

process.chdir(ROOT);
ensureNode();
await ensureInstalled({ forDevelopment: true });
await checkBuildable();
await Promise.all([
  check("Format and lint", ...node("node_modules/@biomejs/biome/bin/biome", "check", ".")),
  check("Types", ...node("node_modules/typescript/bin/tsc", "--noEmit")),
]);
step(
  "Unit and contract tests",
  ...node("node_modules/vitest/vitest.mjs", "run", "lib", "app", "components"),
);
await ensureBuilt();
const playwright = [process.execPath, "node_modules/@playwright/test/cli.js", "test", ...SHORT];
const packageTest = [process.execPath, "node_modules/vitest/vitest.mjs", "run", "e2e"];
step("Browser and package tests, against one sandbox", process.execPath, [
  "--import",
  "./scripts/typescript.mjs",
  "scripts/with-sandbox.ts",
  ...playwright,
  "--",
  ...packageTest,
]);
console.log(`\nAll tests passed in ${seconds()} s.`);

/** Runs a command beside others, and prints what it says once it has ended. */
async function check(title, command, args) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => said.push(part));
  const [status] = await once(child, "close");
  console.log(`\n— ${title} (${seconds()} s)\n${Buffer.concat(said)}`);
  if (status !== 0) process.exit(status ?? 1);
}

function step(title, command, args) {
  console.log(`\n— ${title} (${seconds()} s)`);
  // Also when a proof runs this: the full form of a test belongs to its own row.
  run(title, command, args, { env: { PROOF: "" } });
}

function seconds() {
  return Math.round((Date.now() - start) / 1000);
}
