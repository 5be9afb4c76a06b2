import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NODE_OPTIONS } from "@/lib/server/testing/spawn-service.ts";
import { isTrusting, openLiveWorld, type Settings, startLive } from "./world.ts";

// Starts the traced folder as the image does: away from the repository, read-only, as another user, and in an
// environment that holds the settings alone. Reads how long that takes, its size and its memory.
const BUNDLE = "dist/turnpike";
const PAGES = ["/", "/explore", "/docs/api", "/sign-in"];
/** Pages of files that are beside the service. */
const FILE_PAGES = ["/docs", "/docs/selling", "/docs/errors/not_found", "/docs/search.json"];
const SETTLE_MS = 2_000;
/** The user that owns no file. Only root can start a process as another user. */
const OTHER_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

async function prove(): Promise<void> {
  execFileSync("npm", ["run", "-s", "bundle"], { stdio: "inherit" });
  const [size = ""] = execFileSync("du", ["-sm", BUNDLE], { encoding: "utf8" }).split("\t");
  const place = mkdtempSync(join(tmpdir(), "turnpike-bundle-"));
  const folder = join(place, "turnpike");
  cpSync(BUNDLE, folder, { recursive: true, verbatimSymlinks: true });
  rmSync(BUNDLE, { recursive: true });
  const world = await openLiveWorld();
  const { origin } = world;
  const deployments = join(place, "deployments.json");
  cpSync(world.settings.DEPLOYMENTS_FILE ?? "", deployments);
  chmodSync(place, 0o755);
  execFileSync("chmod", ["-R", "a+rX,a-w", place]);
  // Nothing can be written, not even to a temporary folder.
  const settings = { ...world.settings, DEPLOYMENTS_FILE: deployments, TMPDIR: "/nowhere" };
  const start = () =>
    startLive(inside(settings), { cwd: folder, settings: {}, origin, ...OTHER_USER });
  try {
    const first = await start();
    await first.stop();
    const service = await start();
    const busy = processorSecs(service.pid);
    const openPages = async (paths: string[]) => {
      for (const path of paths) {
        const { status } = await fetch(`${origin}${path}`);
        if (status !== 200) throw new Error(`${path} answered ${status}: ${service.output()}`);
      }
    };
    await openPages(PAGES);
    await new Promise((wake) => setTimeout(wake, SETTLE_MS));
    const memory = residentMegabytes(service.pid);
    await openPages(FILE_PAGES);
    const user = OTHER_USER.uid ? "as another user" : "as its owner";
    const code = await service.stop();
    console.log(
      `traced folder: starts in ${service.secs.toFixed(1)} s (${busy} s of processor time), ${size} MB on disk, ${memory} MB resident after ${PAGES.length} pages, exit ${code}; read-only, ${user}; first start, which makes the tables, ${first.secs.toFixed(1)} s; without settings: ${refusal(folder)}`,
    );
  } finally {
    await world.stop();
    execFileSync("chmod", ["-R", "u+w", place]);
    rmSync(place, { recursive: true, force: true });
  }
}

const inside = (settings: Settings): string[] => [
  "/usr/bin/env",
  "-i",
  ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
  process.execPath,
  ...NODE_OPTIONS,
  "server.mjs",
];

/** What it says with no settings at all. */
function refusal(cwd: string): string {
  const [program = "", ...args] = inside({});
  try {
    execFileSync(program, args, { cwd, stdio: "pipe" });
    return "started";
  } catch (cause) {
    const text = String((cause as { stderr: Buffer }).stderr);
    return /live service/.test(text) ? "says what it needs" : text;
  }
}

/** What a start takes whatever else runs on the machine. The kernel counts in hundredths. */
function processorSecs(pid: number): string {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) return "?";
  const [user, system] = readFileSync(stat, "utf8").split(") ")[1]?.split(" ").slice(11, 13) ?? [];
  return ((Number(user) + Number(system)) / 100).toFixed(1);
}

/** `env -i` hands its process over to Node. */
function residentMegabytes(pid: number): number {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return 0;
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1]) / 1024);
}

if (isTrusting(import.meta.filename)) await prove();
