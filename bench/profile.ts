import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { Profiler } from "node:inspector";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { query, requirePostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { startService } from "@/lib/server/testing/spawn-service.ts";
import { seedFolder } from "@/lib/server/testing/spawned-service.ts";
import { cpuMs } from "./processor-time.ts";
import type { BenchOptions, Measured } from "./ratios.ts";
import { loadCalls, seed } from "./service.ts";

const LOADS = [
  { name: "verify", path: "verify", market: "spread" },
  { name: "settle", path: "settle", market: "spread" },
  { name: "settle-one-balance", path: "settle", market: "hot" },
] as const;
const MOST_PLACES = 14;
const POSTMASTER = "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid";
/** What the functions of Postgres took, a call. */
const FUNCTIONS = `select funcname as name, self_time as ms from pg_stat_user_functions where self_time > 0 order by self_time desc limit 8`;

/**
 * Where the processor time of verify and settle goes: the service by folder and package, Postgres by function. Keeps each
 * profile as collapsed stacks, which flame graph tools draw, in `bench/profiles`.
 */
export async function run({ secs, say }: BenchOptions): Promise<Measured> {
  const cluster = await requirePostgres();
  const databaseUrl = await cluster.createDatabase("profile");
  const { folder, seeded } = await seedFolder(databaseUrl, seed);
  const files = await mkdtemp(join(tmpdir(), "turnpike-profile-"));
  const profile = join(files, "service.cpuprofile");
  await query(databaseUrl, "alter database profile set track_functions = 'all'");
  const [postmaster] = await query(databaseUrl, POSTMASTER);
  const service = await startService({
    entry: "bench/profiled-service.ts",
    settings: { TURNPIKE_DATA_DIR: folder, DATABASE_URL: databaseUrl, PROFILE: profile },
  });
  const pid = service.child.pid ?? 0;
  const server = Number(postmaster?.pid);
  const load = ({ path, market }: (typeof LOADS)[number], duration: number) =>
    loadCalls(service.url, path, seeded[market], duration);
  try {
    await load(LOADS[1], 2);
    const figures: Record<string, unknown> = {};
    for (const each of LOADS) {
      await query(databaseUrl, "select pg_stat_reset()");
      service.child.kill("SIGUSR2");
      const before = [cpuMs(pid), cpuMs(server)] as const;
      const { sent, perSecond } = await load(each, secs);
      const micros = (ms: number) => Math.round((1000 * ms) / sent);
      const [own, postgres] = [micros(cpuMs(pid) - before[0]), micros(cpuMs(server) - before[1])];
      service.child.kill("SIGUSR2");
      const stacks = foldProfile(JSON.parse(await written(profile)));
      await writeFile(join("bench/profiles", `${each.name}.txt`), collapsed(stacks));
      const functions = await query(databaseUrl, FUNCTIONS);
      figures[each.name] = { perSecond, ownMicros: own, postgresMicros: postgres };
      say(
        `\n${each.name}: ${perSecond}/s; ${own} us of the service and ${postgres} us of Postgres a call\n`,
      );
      reportPlaces(say, stacks, micros);
      say(
        `  Postgres: ${functions.map(({ name, ms }) => `${name} ${micros(Number(ms))}`).join(", ")}`,
      );
    }
    return { figures, ratios: {} };
  } finally {
    await service.end("SIGTERM");
    await Promise.all([folder, files].map((each) => rm(each, { recursive: true, force: true })));
    await cluster.stop();
  }
}

function reportPlaces(
  say: BenchOptions["say"],
  stacks: readonly FoldedStack[],
  micros: (ms: number) => number,
): void {
  for (const [place, ms] of sumByPlace(stacks).slice(0, MOST_PLACES)) {
    say(`  ${String(micros(ms)).padStart(4)} us  ${place}`);
  }
}

/** A file once it is whole, which is then removed. */
async function written(path: string): Promise<string> {
  for (;;) {
    const text = await readFile(path, "utf8").catch(() => "");
    if (text.endsWith("}")) {
      await rm(path);
      return text;
    }
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

/** A stack, outermost function first, and the milliseconds it was on the processor. */
type FoldedStack = { frames: string[]; ms: number };

const IDLE = "(idle)";
/** The profiler's own work. */
const PROFILER = "bench/profiled-service.ts";

/** The stacks of a profile, each with its own time; what the process waited is left out. */
function foldProfile({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): FoldedStack[] {
  const ownMs = new Map<number, number>();
  samples.forEach((id, n) => {
    ownMs.set(id, (ownMs.get(id) ?? 0) + (timeDeltas[n] ?? 0) / 1000);
  });
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])));
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  return nodes.flatMap(({ id, callFrame }) => {
    const ms = ownMs.get(id) ?? 0;
    if (ms === 0 || callFrame.functionName === IDLE) return [];
    const frames: string[] = [];
    // The root is in every stack.
    for (let at: number | undefined = id; parents.has(at); at = parents.get(at) as number) {
      frames.unshift(names.get(at) ?? "");
    }
    return frames.some((frame) => frame.endsWith(PROFILER)) ? [] : [{ frames, ms }];
  });
}

function nameOf({ functionName, url }: Profiler.Profile["nodes"][0]["callFrame"]): string {
  const file = url.startsWith("file:") ? relative(process.cwd(), fileURLToPath(url)) : url;
  return `${functionName || "(anonymous)"}${file && ` ${file}`}`.replaceAll(";", ",");
}

/**
 * Where a process spends its time: `lib/…` by folder, packages by name, the rest by what Node calls it. A frame without a
 * file, such as a system call, counts as its own.
 */
function sumByPlace(stacks: readonly FoldedStack[]): [place: string, ms: number][] {
  const sums = new Map<string, number>();
  for (const { frames, ms } of stacks) {
    const place = placeOf(frames.at(-1) ?? "");
    sums.set(place, (sums.get(place) ?? 0) + ms);
  }
  return [...sums].sort(([, a], [, b]) => b - a);
}

function placeOf(frame: string): string {
  // Such as "(garbage collector)".
  if (frame.endsWith(")")) return frame;
  const [name = "", file = ""] = frame.split(" ");
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  if (inPackage) return inPackage;
  if (file.startsWith("node:")) return "Node";
  return file ? file.split("/").slice(0, 3).join("/") : name;
}

/** As flame graph tools read them: `outer;inner count`, in microseconds, without stacks below a thousandth. */
function collapsed(stacks: readonly FoldedStack[]): string {
  const all = stacks.reduce((sum, { ms }) => sum + ms, 0);
  const lines = new Map<string, number>();
  for (const { frames, ms } of stacks) {
    const line = frames.join(";");
    lines.set(line, (lines.get(line) ?? 0) + ms);
  }
  return [...lines]
    .filter(([, ms]) => ms > all / 1000)
    .map(([line, ms]) => `${line} ${Math.round(1000 * ms)}\n`)
    .sort()
    .join("");
}
