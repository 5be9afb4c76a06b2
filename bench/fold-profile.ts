import type { Profiler } from "node:inspector";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** A stack, outermost function first, and the milliseconds it was on the processor. */
export type FoldedStack = { frames: string[]; ms: number };

const IDLE = "(idle)";
/** The profiler's own work. */
const PROFILER = "bench/profiled-service.ts";

/** The stacks of a profile, each with its own time; what the process waited is left out. */
export function foldProfile({
  nodes,
  samples = [],
  timeDeltas = [],
}: Profiler.Profile): FoldedStack[] {
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
export function sumByPlace(stacks: readonly FoldedStack[]): [place: string, ms: number][] {
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
export function collapsed(stacks: readonly FoldedStack[]): string {
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
