import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DatabaseProxy, startDatabaseProxy } from "./database-proxy.ts";
import {
  BASE_BACKUP,
  createDatabase,
  createServerOn,
  initData,
  openPlace,
  type PostgresServer,
  query,
  runTool,
  USER,
} from "./postgres-cluster.ts";

const STREAMING_MS = 60_000;
/** How far an asynchronous standby is behind when the primary dies. */
const BEHIND_MS = 250;

/** A primary with a streaming standby, and a proxy that leads to the primary. */
export type PostgresPair = {
  proxy: DatabaseProxy;
  /** Addresses of the database around the proxy; they change with each failover. */
  primaryUrl: () => string;
  standbyUrl: () => string;
  /** Kills the primary with -9, promotes the standby and points the proxy to it. */
  failOver: () => Promise<void>;
  /** Kills the standby; the primary no longer waits for it. */
  loseStandby: () => Promise<void>;
  /** Makes a synchronous standby of the server that was killed, from a new base backup. */
  rebuild: () => Promise<void>;
  stop: () => Promise<void>;
};

type Node = { server: PostgresServer; dataDir: string };

/**
 * Starts a {@link PostgresPair} with an empty database, or returns null on a machine without Postgres binaries. The standby is
 * synchronous; with `isBehind` it is not, and lacks the primary's last writes at each failover.
 *
 * @example const pair = await startPostgresPair("ledger");
 */
export async function startPostgresPair(
  name: string,
  { isBehind = false } = {},
): Promise<PostgresPair | null> {
  const place = await openPlace();
  if (!place || !existsSync(join(place.bin, BASE_BACKUP))) return null;
  const nodeOf = async (folder: string): Promise<Node> => {
    const dataDir = join(place.folder, folder);
    return { server: await createServerOn(place, dataDir), dataDir };
  };
  let primary = await nodeOf("a");
  let standby = await nodeOf("b");
  const urlOf = ({ server }: Node) => server.url.replace(/postgres$/, name);
  await initData(place, primary.dataDir);
  await primary.server.start();
  const proxy = await startDatabaseProxy(await createDatabase(primary.server.url, name));

  const rebuild = async () => {
    const { port } = primary.server;
    await rm(standby.dataDir, { recursive: true, force: true });
    const from = ["-h", "127.0.0.1", "-p", String(port), "-U", USER, "--no-sync"];
    const kind = ["-R", "-X", "stream", "-c", "fast"];
    await runTool(place, BASE_BACKUP, [...from, "-D", standby.dataDir, ...kind]);
    await standby.server.start();
    if (!isBehind) await setSynchronous(primary.server.url, "*");
    await untilStreaming(primary.server.url, isBehind ? "async" : "sync");
  };

  await rebuild();
  return {
    proxy,
    primaryUrl: () => urlOf(primary),
    standbyUrl: () => urlOf(standby),
    async failOver() {
      const resume = isBehind ? await holdUp(primary.server.url) : () => {};
      const ended = primary.server.end("SIGKILL");
      resume();
      await ended;
      await query(standby.server.url, "select pg_promote()");
      // What manages the servers does this: one that is alone must not wait for another.
      await setSynchronous(standby.server.url, "");
      [primary, standby] = [standby, primary];
      proxy.switchTo(primary.server.port);
    },
    async loseStandby() {
      await setSynchronous(primary.server.url, "");
      await standby.server.end("SIGKILL");
    },
    rebuild,
    async stop() {
      await proxy.stop();
      await Promise.all([primary, standby].map(({ server }) => server.end("SIGQUIT")));
      await rm(place.folder, { recursive: true, force: true });
    },
  };
}

async function setSynchronous(url: string, names: string): Promise<void> {
  await query(url, `alter system set synchronous_standby_names = '${names}'`);
  await query(url, "select pg_reload_conf()");
}

/** Stops what sends to the standby for a while; ends it when called. */
async function holdUp(url: string): Promise<() => void> {
  const [sender] = await query(url, "select pid from pg_stat_replication");
  const pid = Number(sender?.pid);
  process.kill(pid, "SIGSTOP");
  await new Promise((wake) => setTimeout(wake, BEHIND_MS));
  return () => process.kill(pid, "SIGKILL");
}

async function untilStreaming(url: string, state: "sync" | "async"): Promise<void> {
  const deadline = Date.now() + STREAMING_MS;
  const text = `select 1 from pg_stat_replication where state = 'streaming' and sync_state = '${state}'`;
  while ((await query(url, text)).length === 0) {
    if (Date.now() > deadline) throw new Error("The standby does not stream.");
    await new Promise((wake) => setTimeout(wake, 50));
  }
}
