import type { Socket } from "node:net";
import pg from "pg";
import { readDatabaseFault, untilFree } from "../faults.ts";
import { type OnReplicaChange, type RunStatement, readFromReplica } from "./replica-reads.ts";

/** Whose connections a statement uses. Each has its own, so that no kind of work waits for another's. */
export type Workload = "money" | "reads" | "background";
type Limits = {
  connections: number;
  /** The server gives a statement up after this. */
  statementMs: number;
  /** After this the connection counts as dead: longer than `statementMs`, by which a live server has answered. */
  silentMs: number;
};

const LIMITS: Record<Workload, Limits> = {
  money: { connections: 16, statementMs: 3_000, silentMs: 3_500 },
  reads: { connections: 4, statementMs: 5_000, silentMs: 6_000 },
  background: { connections: 6, statementMs: 20_000, silentMs: 22_000 },
};
/** The most that one process opens, without those to a replica. */
export const MOST_CONNECTIONS = Object.values(LIMITS).reduce(
  (sum, { connections }) => sum + connections,
  0,
);
const IDLE_MS = 15_000;
/** The server ends what this side no longer closes: sessions of a client that went silent would take every connection. */
const FORGOTTEN_MS = 2 * IDLE_MS;
/** Compiling a statement takes longer than running any of these. */
const SESSION = `-c jit=off -c idle_session_timeout=${FORGOTTEN_MS}`;
/**
 * A list must not take every core of the database. Its plan is made for the account that asks: one plan for all accounts
 * reads whole tables for a busy builder, or for an account with nothing beside one.
 */
const OPTIONS: { [K in Workload]?: string } = {
  reads: `${SESSION} -c max_parallel_workers_per_gather=0 -c plan_cache_mode=force_custom_plan`,
};
const ACQUIRE_MS = 3_000;
const KEEPALIVE_MS = 5_000;
const TICK_MS = 250;
const CLOSE_MS = 2_000;
const TRIES = { most: 5, waitMs: (tries: number) => 10 * tries };
/** A statement that failed so long ago and was not tried since says nothing about now. */
const TROUBLE_MS = 30_000;
const FULL = "writes fail";
const SILENT = "no answer in time";

type Watched = {
  socket: Socket;
  /** Ticks it may be silent for while it is in use. */
  mostTicks: number;
  isInUse: boolean;
  silentTicks: number;
  bytesRead: number;
};

/** The pools of one Postgres database. */
export type Pools = {
  for: (workload: Workload) => pg.Pool;
  /** Runs a transaction, again when another was in its way. */
  transact: <T>(run: () => Promise<T>) => Promise<T>;
  trouble: () => string | null;
  close: () => Promise<void>;
};

/** How the pools of one Postgres are opened. */
export type PoolOptions = {
  url: string;
  /** A streaming replica of it, for reads outside transactions; without it the primary serves them. */
  replicaUrl?: string | undefined;
  /** Told of the cause when the replica stops answering, and of null when it answers again. */
  onReplicaChange?: OnReplicaChange | undefined;
  /** Connections of background work, scripts and tests. */
  poolSize?: number | undefined;
  /** Makes every deadline of Postgres this many times as long: a proof on a busy machine asks what is right, not how soon. */
  patience?: number | undefined;
};

/**
 * Opens pools on demand. Each statement and each wait for a connection has a deadline on this side too: a connection
 * that carries nothing although the server must have answered is destroyed, and the idle ones with it, which may be dead
 * for the same reason. Statements that Postgres rolled back for another's sake are run again.
 *
 * @example const { rows } = await openPools({ url }).for("money").query("select 1");
 */
export function openPools({
  url,
  replicaUrl,
  onReplicaChange: onChange,
  poolSize,
  patience = 1,
}: PoolOptions): Pools {
  const pools = new Map<Workload, pg.Pool>();
  const connected: pg.Pool[] = [];
  const watch = watchConnections();
  const { attempt, trouble } = createAttempts();

  function connect(workload: Workload, connectionString: string): pg.Pool {
    const { connections, ...deadlines } = LIMITS[workload];
    const statementMs = deadlines.statementMs * patience;
    const pool = new pg.Pool({
      connectionString,
      max: workload === "background" ? (poolSize ?? connections) : connections,
      connectionTimeoutMillis: ACQUIRE_MS * patience,
      idleTimeoutMillis: IDLE_MS,
      statement_timeout: statementMs,
      // Of a client that went silent the server would keep the locks: nothing but statements runs in a transaction.
      idle_in_transaction_session_timeout: statementMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_MS,
      options: OPTIONS[workload] ?? SESSION,
    });
    // A connection that breaks while idle is replaced at its next use; without a listener it would end the process.
    pool.on("error", () => {});
    watch.add(pool, deadlines.silentMs * patience);
    connected.push(pool);
    return pool;
  }

  function open(workload: Workload): pg.Pool {
    const pool = connect(workload, url);
    const primary = runOn(pool);
    const query =
      replicaUrl && workload === "reads"
        ? readFromReplica({ primary, replica: runOn(connect(workload, replicaUrl)), onChange })
        : primary;
    return Object.assign(pool, {
      query: (config: string | { text: string }, ...more: unknown[]) =>
        attempt(typeof config === "string" ? config : config.text, () => query(config, ...more)),
    }) as pg.Pool;
  }

  return {
    for(workload) {
      const pool = pools.get(workload) ?? open(workload);
      pools.set(workload, pool);
      return pool;
    },
    transact: (run) => attempt("transaction", run),
    trouble,
    async close() {
      // What is checked out comes back, or never does.
      const late = setTimeout(watch.destroyAll, CLOSE_MS);
      await Promise.all(connected.map((pool) => pool.end()));
      clearTimeout(late);
      watch.stop();
    },
  };
}

const runOn = (pool: pg.Pool) => pool.query.bind(pool) as RunStatement;

/** Finds connections that are in use and silent. By ticks, so that a busy process does not blame the database. */
function watchConnections() {
  const all = new Map<pg.PoolClient, Watched>();
  const tick = () => {
    let longest = Number.POSITIVE_INFINITY;
    for (const each of all.values()) {
      const { bytesRead } = each.socket;
      const isSilent = each.isInUse && bytesRead === each.bytesRead;
      each.silentTicks = isSilent ? each.silentTicks + 1 : 0;
      each.bytesRead = bytesRead;
      if (each.silentTicks >= each.mostTicks) longest = Math.min(longest, each.silentTicks);
    }
    if (longest === Number.POSITIVE_INFINITY) return;
    for (const { socket, isInUse, silentTicks } of all.values()) {
      if (!isInUse || silentTicks >= longest) socket.destroy(silence());
    }
  };
  const timer = setInterval(tick, TICK_MS).unref();
  const use = (client: pg.PoolClient, isInUse: boolean) => {
    const watched = all.get(client);
    if (watched) Object.assign(watched, { isInUse, silentTicks: 0 });
  };
  return {
    add(pool: pg.Pool, silentMs: number) {
      pool.on("connect", (client) => {
        // One that breaks while a transaction has it: its statement fails, and that is told.
        client.on("error", () => {});
        const { connection } = client as unknown as { connection: { stream: Socket } };
        const socket = connection.stream;
        const mostTicks = Math.ceil(silentMs / TICK_MS);
        all.set(client, { socket, mostTicks, isInUse: true, silentTicks: 0, bytesRead: 0 });
        socket.once("close", () => all.delete(client));
      });
      pool.on("acquire", (client) => use(client, true));
      pool.on("release", (_, client) => use(client as pg.PoolClient, false));
    },
    destroyAll() {
      for (const { socket } of all.values()) socket.destroy(silence());
    },
    stop: () => clearInterval(timer),
  };
}

const silence = () =>
  Object.assign(new Error("The database did not answer in time."), { code: "ETIMEDOUT" });

/** Runs statements again that another was in the way of, and remembers which the database cannot carry out. */
function createAttempts() {
  const troubles = new Map<string, { at: number; what: string }>();

  function note(name: string, cause: unknown): void {
    const fault = readDatabaseFault(cause);
    const what = fault === "full" ? FULL : fault === "silent" ? SILENT : undefined;
    if (what) troubles.set(name, { at: performance.now(), what });
  }

  /** What hung together works again together; a full disk is told of each statement. */
  function end(name: string): void {
    const what = troubles.get(name)?.what;
    troubles.delete(name);
    if (what !== SILENT) return;
    for (const [other, trouble] of troubles) if (trouble.what === SILENT) troubles.delete(other);
  }

  return {
    async attempt<T>(name: string, run: () => Promise<T>): Promise<T> {
      try {
        const result = await untilFree(run, TRIES);
        if (troubles.size > 0) end(name);
        return result;
      } catch (cause) {
        note(name, cause);
        throw cause;
      }
    },
    trouble(): string | null {
      for (const [name, { at }] of troubles) {
        if (performance.now() - at > TROUBLE_MS) troubles.delete(name);
      }
      const [first] = troubles.values();
      return first?.what ?? null;
    },
  };
}
