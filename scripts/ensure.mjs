// Installs packages and builds the pages before any TypeScript can run.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hashSources, isBuilt, markBuilt, unmarkBuilt } from "./build-mark.mjs";
import { refuseWhileServed } from "./served.mjs";

const MIN_NODE = [20, 12];
/** The repository, which every path is relative to. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

export function ensureNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return;
  console.error(
    `Turnpike needs Node ${MIN_NODE.join(".")} or newer; this is ${process.versions.node}.`,
  );
  process.exit(1);
}

const INSTALLED_MARK = "node_modules/.turnpike-lock";

/** Packages that are there only where development packages are. */
const FOR_DEVELOPMENT = ["@biomejs/biome", "@playwright/test", "vitest"];

/** Installs the locked packages if some are missing or the lock has changed; development packages where they are needed. */
export async function ensureInstalled({ forDevelopment = false } = {}) {
  const known = existsSync(INSTALLED_MARK) ? readFileSync(INSTALLED_MARK, "utf8") : null;
  const isFresh =
    known === null &&
    changedAt("node_modules/.package-lock.json") >= changedAt("package-lock.json");
  const isWhole = FOR_DEVELOPMENT.every((name) => existsSync(`node_modules/${name}/package.json`));
  if ((isWhole || !forDevelopment) && (known === lockHash() || isFresh)) return;
  await refuseWhileServed();
  run("Installing packages (about half a minute)", "npm", [
    "ci",
    // A newcomer's first start does without them, and needs a third of the time. A developer keeps them.
    forDevelopment || isWhole ? "--include=dev" : "--omit=dev",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ]);
  markInstalled();
}

/** Records the lock that the packages were installed from. */
export const markInstalled = () => writeFileSync(INSTALLED_MARK, lockHash());

const lockHash = () => createHash("sha256").update(readFileSync("package-lock.json")).digest("hex");

/** Builds the pages, and with them the service, if the sources are not those of the last build. */
export async function ensureBuilt() {
  // Read before the build: a file that is saved meanwhile is built next time.
  const sources = hashSources();
  if (isBuilt(sources)) return;
  await refuseWhileServed();
  unmarkBuilt();
  const next = ["node_modules/next/dist/bin/next", "build"];
  run("Building the pages (about half a minute)", process.execPath, next, { quiet: true });
  markBuilt(sources);
}

/** Ends this process if it would have to build, and can't. */
export async function checkBuildable() {
  if (!isBuilt(hashSources())) await refuseWhileServed();
}

/** Runs a command and exits with its status if it fails. A quiet command prints its output only then. */
function run(title, command, args, { quiet = false } = {}) {
  console.log(`${title} …`);
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    stdio: quiet ? "pipe" : "inherit",
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" },
    // On Windows npm is a script of the shell, which would take the path of Node apart at its spaces.
    shell: process.platform === "win32" && command === "npm",
  });
  if (status === 0) return;
  if (quiet) console.error(`${stdout ?? ""}${stderr ?? ""}`);
  console.error(error ? String(error) : `${title}: failed with status ${status}.`);
  process.exit(status ?? 1);
}

const changedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);
