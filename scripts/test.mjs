// `npm test`: everything a change must pass, cheapest first; stops at the first failure.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { checkBuildable, ensureBuilt, ensureInstalled, ensureNode, ROOT } from "./ensure.mjs";

const LOWEST = 19;

// One browser test per way through the product; its variants, marked @long, run in `npm run e2e` and the proof.
const SHORT = ["--grep-invert", "@long"];
const start = Date.now();
// Also when a proof runs this: the full form of a test belongs to its own row.
const ENV = { ...process.env, PROOF: "" };
/** Commands that run beside the steps. */
const underWay = new Set();
const node = (script, ...args) => [process.execPath, [script, ...args]];
const inSandbox = (...args) =>
  node(
    "--import",
    "./scripts/typescript.mjs",
    "scripts/with-sandbox.ts",
    process.execPath,
    ...args,
  );

process.chdir(ROOT);
ensureNode();
await ensureInstalled({ forDevelopment: true });
await checkBuildable();
await Promise.all([
  check("Format and lint", ...node("node_modules/@biomejs/biome/bin/biome", "check", ".")),
  check("Types", ...node("node_modules/typescript/bin/tsc", "--noEmit")),
]);
// Unit tests need no build: it takes what processor time they leave.
const build = beside(...node("scripts/build.mjs"));
await step(
  "Unit and contract tests",
  ...node("node_modules/vitest/vitest.mjs", "run", "lib", "app", "components"),
);
await report("Pages and service", build);
// What was saved since is built again.
await ensureBuilt();
await step("Browser tests", ...inSandbox("node_modules/@playwright/test/cli.js", "test", ...SHORT));
// Alone: the doctor judges how fast an agent answers.
await step("Package tests", ...inSandbox("node_modules/vitest/vitest.mjs", "run", "e2e"));
console.log(`\nAll tests passed in ${seconds()} s.`);

/** Runs a command, and prints what it says once it has ended. */
function check(title, command, args) {
  return report(
    title,
    finish(spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: ENV })),
  );
}

/** Begins a command at the lowest priority, beside the steps until it is reported. */
function beside(command, args) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: ENV });
  if (child.pid) setPriority(child.pid, LOWEST);
  const finished = finish(child);
  underWay.add(finished);
  return finished;
}

async function finish(child) {
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => said.push(part));
  const [status] = await once(child, "close");
  return { said: Buffer.concat(said), status };
}

/** Waits for a command, prints what it said, and ends the tests if it failed. */
async function report(title, finished) {
  const { said, status } = await finished;
  underWay.delete(finished);
  console.log(`\n— ${title} (${seconds()} s)\n${said}`);
  if (status !== 0) await end(status);
}

async function step(title, command, args) {
  console.log(`\n— ${title} (${seconds()} s)`);
  const [status] = await once(spawn(command, args, { stdio: "inherit", env: ENV }), "close");
  if (status !== 0) await end(status);
}

/** Ends the tests; what is under way would otherwise go on writing. */
async function end(status) {
  await Promise.all(underWay);
  process.exit(status ?? 1);
}

function seconds() {
  return Math.round((Date.now() - start) / 1000);
}
