import { randomUUID } from "node:crypto";
import {
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

type Holder = {
  lockId: string;
  pid: number;
  /** When the process started, in the system's own unit: a later process may have its id. */
  startedAt: string | null;
  /** Where its id means something: a host since its start, and a container on it. */
  machine: string;
  host: string;
  since: string;
};

const LOCK = "instance.lock";
const BEAT_MS = 1_000;
/** A holder whose process says nothing is gone when it has shown no sign of life for so long. */
const SILENT_MS = 10_000;
const LOOK_MS = 500;

/**
 * Locks a data folder for this process: the embedded parts have no locks, and two processes would corrupt them. The lock
 * is a file in the folder, so that every process that opens the folder finds it. A lock whose process has ended is taken
 * over. Throws an Error that names the holder and says what to do.
 *
 * @example const unlock = await lockInstance(".turnpike");
 */
export async function lockInstance(dataDir: string): Promise<() => Promise<void>> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, LOCK);
  const own = describeSelf();
  for (;;) {
    if (take(path, own)) break;
    const holder = read(path);
    if (holder && (await isAlive(path, holder))) throw inUse(dataDir, holder);
    removeStale(path, holder);
  }
  const beat = setInterval(() => touch(path), BEAT_MS).unref();
  return async () => {
    clearInterval(beat);
    if (read(path)?.lockId === own.lockId) unlinkSync(path);
  };
}

/** What to tell a person about the process that holds a data folder; null where none does. */
export async function findHolder(dataDir: string): Promise<string | null> {
  const path = join(dataDir, LOCK);
  const holder = read(path);
  return holder && (await isAlive(path, holder)) ? inUse(dataDir, holder).message : null;
}

const describeSelf = (): Holder => ({
  lockId: randomUUID(),
  pid: process.pid,
  startedAt: startOf(process.pid),
  machine: machineId(),
  host: hostname(),
  since: new Date().toISOString(),
});

/** Appears whole or not at all, and only where there is none. */
function take(path: string, own: Holder): boolean {
  const draft = `${path}.${own.lockId}`;
  writeFileSync(draft, `${JSON.stringify(own)}\n`, { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    return false;
  } finally {
    unlinkSync(draft);
  }
}

function read(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Holder;
  } catch {
    return null;
  }
}

/**
 * On this machine its process decides where the system tells when that started, since another one may have its id by now;
 * elsewhere the file's time, which its holder renews.
 */
async function isAlive(path: string, holder: Holder): Promise<boolean> {
  if (holder.machine === machineId()) {
    if (!isRunning(holder.pid)) return false;
    if (holder.startedAt !== null) return startOf(holder.pid) === holder.startedAt;
  }
  const before = timeOf(path);
  for (let waited = 0; waited < SILENT_MS; waited += LOOK_MS) {
    await sleep(LOOK_MS);
    if (timeOf(path) !== before) return true;
  }
  return false;
}

/** Moves it away first: of two that find it stale, one takes it over. */
function removeStale(path: string, judged: Holder | null): void {
  const away = `${path}.${randomUUID()}`;
  try {
    renameSync(path, away);
  } catch {
    return;
  }
  // Another process was faster, and this is its lock: it goes back.
  if (read(away)?.lockId !== judged?.lockId) linkSync(away, path);
  unlinkSync(away);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Linux tells when a process started. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")")).split(" ")[20] ?? null;
  } catch {
    return null;
  }
}

/** Process ids of two hosts, of two containers, or from before a restart say nothing of each other. */
function machineId(): string {
  const known = (find: () => string) => {
    try {
      return find().trim();
    } catch {
      return "";
    }
  };
  const boot = known(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
  const ids = known(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot, ids].join(" ");
}

function timeOf(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // The folder is gone, as when a test removes it.
  }
}

const inUse = (dataDir: string, { pid, host, since }: Holder) =>
  new Error(
    `Another Turnpike is running on the data folder ${dataDir}: process ${pid} on ${host}, since ${since}. Stop it first, or set TURNPIKE_DATA_DIR, PORT and AGENT_PORT to run a second one.`,
  );
