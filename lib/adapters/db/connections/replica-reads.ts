import { readDatabaseFault } from "../faults.ts";

/** Runs one statement, as `pool.query` does. */
export type RunStatement = (...call: unknown[]) => Promise<unknown>;

export type OnReplicaChange = (cause: unknown) => void;

const AWAY_MS = 30_000;
const TRIES = 3;
const REPLAY_MS = 10;
const STATEMENT_TIMEOUT = "57014";
const READ_ONLY = "25006";

/**
 * Runs statements on a streaming replica once it has replayed everything that the primary had written when the statement
 * began, whichever process wrote it; so no one reads less than they have been told. Runs them on the primary while the
 * replica is behind or away, and when they write. Throws what the driver throws.
 *
 * @example const run = readFromReplica({ primary: (...call) => pool.query(...call), replica });
 */
export function readFromReplica(on: {
  primary: RunStatement;
  replica: RunStatement;
  /** Told of the cause when the replica stops answering, and of null when it answers again. */
  onChange?: OnReplicaChange | undefined;
}): RunStatement {
  let awayUntil = 0;
  let isAway = false;
  const note: OnReplicaChange = (cause) => {
    if (isAway === (cause !== null)) return;
    isAway = !isAway;
    on.onChange?.(cause);
  };
  return async (...call) => {
    if (Date.now() < awayUntil) return on.primary(...call);
    const [written] = await valuesOf(
      on.primary("select pg_current_wal_flush_lsn()::text as value"),
    );
    try {
      const isThere = await hasReplayed(on.replica, written);
      note(null);
      if (isThere) return await on.replica(...call);
    } catch (cause) {
      const fault = readDatabaseFault(cause);
      const { code } = cause as { code?: unknown };
      // Too slow for one server is too slow for the other, and the caller's own fault stays one.
      if (code === STATEMENT_TIMEOUT || fault === null || fault === "value") throw cause;
      if (code !== READ_ONLY && fault !== "again") {
        awayUntil = Date.now() + AWAY_MS;
        note(cause);
      }
    }
    return on.primary(...call);
  };
}

async function hasReplayed(replica: RunStatement, written: unknown): Promise<boolean> {
  const text = "select coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as value";
  for (let tries = 1; ; tries++) {
    const [isThere] = await valuesOf(replica(text, [written]));
    if (isThere === true || tries === TRIES) return isThere === true;
    await new Promise((wake) => setTimeout(wake, REPLAY_MS));
  }
}

const valuesOf = async (result: Promise<unknown>): Promise<unknown[]> =>
  ((await result) as { rows: { value: unknown }[] }).rows.map(({ value }) => value);
