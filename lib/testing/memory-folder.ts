import { existsSync, readFileSync, statfsSync } from "node:fs";
import { freemem } from "node:os";

const FOLDER = "/dev/shm";
const MOUNTS = "/proc/mounts";
/** Several times what the tests use: what is beside them needs memory too. */
const NEEDED_BYTES = 3 * 2 ** 30;

/**
 * A folder in memory, where the machine has room in one and programs can run from it. A database is hundreds of small files: on a disk,
 * making one costs ten times the processor time.
 */
export function memoryFolder(): string | null {
  if (!existsSync(FOLDER) || !existsSync(MOUNTS)) return null;
  const mount = readFileSync(MOUNTS, "utf8")
    .split("\n")
    .find((line) => line.split(" ")[1] === FOLDER);
  if (!mount?.startsWith("tmpfs ") || mount.includes("noexec")) return null;
  const { bavail, bsize } = statfsSync(FOLDER);
  return Math.min(bavail * bsize, freemem()) >= NEEDED_BYTES ? FOLDER : null;
}
