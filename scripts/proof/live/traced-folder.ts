import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isTrusting, openLiveWorld, startLive } from "./world.ts";

// Starts the traced folder in an environment that holds the settings alone, and reads its size and memory.
const FOLDER = "dist/turnpike";
const PAGES = ["/", "/explore", "/docs/api", "/sign-in"];
const SETTLE_MS = 2_000;

async function prove(): Promise<void> {
  execFileSync("npm", ["run", "-s", "bundle"], { stdio: "inherit" });
  const [size = ""] = execFileSync("du", ["-sm", FOLDER], { encoding: "utf8" }).split("\t");
  const world = await openLiveWorld();
  const { settings, origin } = world;
  const start = () =>
    startLive(["/usr/bin/env", "-i", ...pairs(), process.execPath, "server.mjs"], {
      cwd: FOLDER,
      settings: {},
      origin,
    });
  const pairs = () => Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  try {
    // The first start makes the tables.
    await (await start()).stop();
    const service = await start();
    for (const path of PAGES) {
      const { status } = await fetch(`${origin}${path}`);
      if (status !== 200) throw new Error(`${path} answered ${status}.`);
    }
    await new Promise((wake) => setTimeout(wake, SETTLE_MS));
    const memory = residentMegabytes(service.pid);
    const code = await service.stop();
    const refused = refusal();
    console.log(
      `traced folder: starts in ${service.secs.toFixed(1)} s, ${size} MB on disk, ${memory} MB resident after ${PAGES.length} pages, exit ${code}; without settings: ${refused}`,
    );
  } finally {
    await world.stop();
  }
}

/** What it says with no settings at all. */
function refusal(): string {
  try {
    execFileSync("/usr/bin/env", ["-i", process.execPath, "server.mjs"], {
      cwd: FOLDER,
      stdio: "pipe",
    });
    return "started";
  } catch (cause) {
    const text = String((cause as { stderr: Buffer }).stderr);
    return /live service/.test(text) ? "says what it needs" : text;
  }
}

/** `env -i` hands its process over to Node. */
function residentMegabytes(pid: number): number {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return 0;
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1]) / 1024);
}

if (isTrusting(import.meta.filename)) await prove();
