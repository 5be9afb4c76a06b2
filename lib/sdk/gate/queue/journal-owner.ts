import type { NodeFiles, NodeProcess } from "./node-files.ts";

const SUFFIX = ".journal";
/** How often an owner touches its journal, so that other machines know it is alive. */
export const HEARTBEAT_MS = 30_000;
// With the half minute between two looks, half of the five minutes in which a lease still pays for what was served.
const SILENT_MS = 4 * HEARTBEAT_MS;

/**
 * Names a journal after its owner: the machine as `machineOf` knows it, process, and when that process began, because
 * process ids are reused. So ownership needs no lock that a killed process would leave behind.
 */
export async function nameJournal(
  { files, process }: { files: NodeFiles; process: NodeProcess },
  random: string,
): Promise<string> {
  const begun = (await startOf(files, process.pid)) ?? "0";
  const machine = await machineOf({ files, process });
  return [machine, process.pid, begun, random].join("~") + SUFFIX;
}

/** The journals in a folder whose owners are gone. */
export async function findOrphans(
  { files, process }: { files: NodeFiles; process: NodeProcess },
  folder: string,
): Promise<string[]> {
  const names = await files.readdir(folder).catch((): string[] => []);
  const machine = await machineOf({ files, process });
  const orphans: string[] = [];
  for (const name of names.filter((each) => each.endsWith(SUFFIX))) {
    const [owner = "", pid, begun = ""] = name.split("~");
    const isOwned =
      owner === machine
        ? await isRunning({ files, process }, Number(pid), begun)
        : await isFresh(files, `${folder}/${name}`);
    if (!isOwned) orphans.push(name);
  }
  return orphans;
}

async function isRunning(
  { files, process }: { files: NodeFiles; process: NodeProcess },
  pid: number,
  begun: string,
): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0 || !process.isAlive(pid)) return false;
  const current = await startOf(files, pid);
  return current === null || begun === "0" || current === begun;
}

const isFresh = async (files: NodeFiles, path: string): Promise<boolean> => {
  const found = await files.stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs < SILENT_MS;
};

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
async function machineOf({
  files,
  process,
}: {
  files: NodeFiles;
  process: NodeProcess;
}): Promise<string> {
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
