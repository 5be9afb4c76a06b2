import type { NodeFiles, NodeParts } from "./node-files.ts";

const SUFFIX = ".journal";
/** How often an owner touches its journal, so that other machines know it is alive. */
export const HEARTBEAT_MS = 30_000;
// With the half minute between two looks, half of the five minutes in which a lease still pays for what was served.
const SILENT_MS = 4 * HEARTBEAT_MS;

/**
 * Names a journal after its owner: the machine as `machineOf` knows it, process, and when that process began, because
 * process ids are reused. So ownership needs no lock that a killed process would leave behind.
 */
export async function nameJournal({ files, process }: NodeParts, random: string): Promise<string> {
  const begun = (await startOf(files, process.pid)) ?? "0";
  const machine = await machineOf({ files, process });
  return [machine, process.pid, begun, random].join("~") + SUFFIX;
}

/** When a journal was first seen as it is, by the steady clock: its owner's clock may be ahead. */
export type Looks = Map<string, { mtimeMs: number; at: number }>;

/** The journals in a folder whose owners are gone; `looks` are this process's earlier ones. */
export async function findOrphans(
  { files, process }: NodeParts,
  folder: string,
  looks: Looks,
): Promise<string[]> {
  const names = await files.readdir(folder).catch((): string[] => []);
  const machine = await machineOf({ files, process });
  const orphans: string[] = [];
  for (const name of names.filter((each) => each.endsWith(SUFFIX))) {
    const [owner = "", pid, begun = ""] = name.split("~");
    const isOwned =
      owner === machine
        ? await isRunning({ files, process }, Number(pid), begun)
        : await isFresh(files, `${folder}/${name}`, looks);
    if (!isOwned) orphans.push(name);
  }
  return orphans;
}

async function isRunning(
  { files, process }: NodeParts,
  pid: number,
  begun: string,
): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0 || !process.isAlive(pid)) return false;
  const current = await startOf(files, pid);
  return current === null || begun === "0" || current === begun;
}

async function isFresh(files: NodeFiles, path: string, looks: Looks): Promise<boolean> {
  const found = await files.stat(path).catch(() => null);
  const { mtimeMs = 0 } = found ?? {};
  const now = performance.now();
  const before = looks.get(path);
  const since = before?.mtimeMs === mtimeMs ? before.at : now;
  looks.set(path, { mtimeMs, at: since });
  return Date.now() - mtimeMs < SILENT_MS && now - since < SILENT_MS;
}

/** When a process began, in the system's own units; `null` where the system does not say. */
async function startOf(files: NodeFiles, pid: number): Promise<string | null> {
  const stat = await files.readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  // The command's name, in parentheses, may contain spaces; the 20th field after it is the start.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
}

/**
 * Where a process id names one process: the host, its boot, and the namespace of process ids. Containers may share a host
 * name and still not see each other's processes.
 */
async function machineOf({ files, process }: NodeParts): Promise<string> {
  const parts = await Promise.all([
    process.host,
    files.readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    files.readlink("/proc/self/ns/pid").catch(() => ""),
  ]);
  return parts
    .filter(Boolean)
    .map((part) => part.trim().replace(/[^A-Za-z0-9.-]/g, "_"))
    .join(".");
}
