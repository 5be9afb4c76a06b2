// `npm test`: everything a change must pass; stops at the first step that fails.
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
// Unit tests need none of these, which take what processor time they leave.
const others = [
  beside("Format and lint", ...node("node_modules/@biomejs/biome/bin/biome", "check", ".")),
  // Each checker reads what the others have read: one takes half the processor time of four.
  beside("Types", ...node("node_modules/typescript/bin/tsc", "--noEmit", "--checkers", "1")),
  beside("Pages and service", ...node("scripts/build.mjs")),
];
await step(
  "Unit and contract tests",
  ...node("node_modules/vitest/vitest.mjs", "run", "lib", "app", "components"),
);
const failed = (await Promise.all(others)).find((status) => status !== 0);
if (failed !== undefined) await end(failed);
// What was saved since is built again.
await ensureBuilt();
await step("Browser tests", ...inSandbox("node_modules/@playwright/test/cli.js", "test", ...SHORT));
// Alone: the doctor judges how fast an agent answers.
await step("Package tests", ...inSandbox("node_modules/vitest/vitest.mjs", "run", "e2e"));
console.log(`\nAll tests passed in ${seconds()} s.`);

/** Runs a command at the lowest priority beside the steps, prints what it said once it has ended, and returns its status. */
function beside(title, command, args) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: ENV });
  if (child.pid) setPriority(child.pid, LOWEST);
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => said.push(part));
  const ended = once(child, "close").then(([status]) => {
    underWay.delete(ended);
    console.log(`\n— ${title} (${seconds()} s)\n${Buffer.concat(said)}`);
    return status ?? 1;
  });
  underWay.add(ended);
  return ended;
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
