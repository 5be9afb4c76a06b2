import type { NodeFiles, NodeProcess } from "./node-files.ts";

const SUFFIX = ".journal";
/** An owner on another machine cannot be asked; it touches its journal this often. */
export const HEARTBEAT_MS = 30_000;
const SILENT_MS = 10 * HEARTBEAT_MS;

/**
 * A journal's owner stands in its file name: machine, process, and when that process began, because
 * process ids come again. So ownership needs no lock that a killed process would leave behind.
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

/** When a process began, as the system counts; `null` where it does not tell. */
async function startOf(files: NodeFiles, pid: number): Promise<string | null> {
  const stat = await files.readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  // The command's name, in brackets, may hold spaces; the 20th field after it is the start.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
}

const hostPart = ({ host }: NodeProcess) => host.replace(/[^A-Za-z0-9.-]/g, "_");
