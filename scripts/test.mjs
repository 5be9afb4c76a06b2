// `npm test`: everything a change must pass, cheapest first; stops at the first failure.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { checkBuildable, ensureBuilt, ensureInstalled, ensureNode, ROOT } from "./ensure.mjs";

const LOWEST = 19;

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
// Unit tests need no build: it takes what processor time they leave.
const build = startBuild();
await step(
  "Unit and contract tests",
  ...node("node_modules/vitest/vitest.mjs", "run", "lib", "app", "components"),
);
const { said, status: buildStatus } = await build;
console.log(`\n— Pages and service (${seconds()} s)\n${said}`);
if (buildStatus !== 0) process.exit(buildStatus ?? 1);
// What was saved since is built again.
await ensureBuilt();
const playwright = [process.execPath, "node_modules/@playwright/test/cli.js", "test", ...SHORT];
const packageTest = [process.execPath, "node_modules/vitest/vitest.mjs", "run", "e2e"];
await step("Browser and package tests, against one sandbox", process.execPath, [
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
  const { said, status } = await finish(
    spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] }),
  );
  console.log(`\n— ${title} (${seconds()} s)\n${said}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** Builds beside the unit tests; a failure is told after them. */
async function startBuild() {
  const child = spawn(...node("scripts/build.mjs"), { stdio: ["ignore", "pipe", "pipe"] });
  const { pid } = child;
  if (pid) setPriority(pid, LOWEST);
  return finish(child);
}

async function finish(child) {
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => said.push(part));
  const [status] = await once(child, "close");
  return { said: Buffer.concat(said), status };
}

async function step(title, command, args) {
  console.log(`\n— ${title} (${seconds()} s)`);
  // Also when a proof runs this: the full form of a test belongs to its own row.
  const env = { ...process.env, PROOF: "" };
  const [status] = await once(spawn(command, args, { stdio: "inherit", env }), "close");
  if (status === 0) return;
  await build;
  process.exit(status ?? 1);
}

function seconds() {
  return Math.round((Date.now() - start) / 1000);
}
