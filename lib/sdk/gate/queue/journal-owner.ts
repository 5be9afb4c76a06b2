import type { NodeFiles, NodeProcess } from "./node-files.ts";

const SUFFIX = ".journal";
/** How often an owner touches its journal, so that other machines know it is alive. */
export const HEARTBEAT_MS = 30_000;
const SILENT_MS = 10 * HEARTBEAT_MS;

/**
 * Names a journal after its owner: machine, process, and when that process began, because process ids
 * are reused. So ownership needs no lock that a killed process would leave behind.
 */
export async function nameJournal(
  { files, process }: { files: NodeFiles; process: NodeProcess },
  random: string,
): Promise<string> {
  const begun = (await startOf(files, process.pid)) ?? "0";
  return [hostPart(process), process.pid, begun, random].join("~") + SUFFIX;
}

/** The journals in a folder whose owners are gone. */
export async function findOrphans(
  { files, process }: { files: NodeFiles; process: NodeProcess },
  folder: string,
): Promise<string[]> {
  const names = await files.readdir(folder).catch((): string[] => []);
  const orphans: string[] = [];
  for (const name of names.filter((each) => each.endsWith(SUFFIX))) {
    const [host = "", pid, begun = ""] = name.split("~");
    const isOwned =
      host === hostPart(process)
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

const hostPart = ({ host }: NodeProcess) => host.replace(/[^A-Za-z0-9.-]/g, "_");
