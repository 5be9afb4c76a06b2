import { readDatabaseFault } from "../faults.ts";
import { DATABASE_ID, OTHER_DATABASE } from "./same-database.ts";

/** Runs one statement, as `pool.query` does. */
export type RunStatement = (...call: unknown[]) => Promise<unknown>;

export type OnReplicaChange = (cause: unknown) => void;

const AWAY_MS = 30_000;
const TRIES = 3;
const REPLAY_MS = 10;
const STATEMENT_TIMEOUT = "57014";
const READ_ONLY = "25006";

const WRITTEN = `select pg_current_wal_flush_lsn()::text as lsn, ${DATABASE_ID} as id`;
/** The position in the log is the server's: of a server that has other databases too, it says nothing about this one. */
const REPLAYED = `select ${DATABASE_ID} = $1 as "isSame", coalesce(pg_last_wal_replay_lsn() >= $2::pg_lsn, false) as "isThere"`;

/**
 * Runs statements on a streaming replica once it has replayed everything that the primary had written when the statement
 * began, whichever process wrote it; so no one reads less than they have been told. Runs them on the primary while the
 * replica is behind, away or of another database, and when they write. Throws what the driver throws.
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
    if (performance.now() < awayUntil) return on.primary(...call);
    const written = await rowOf<Written>(on.primary(WRITTEN));
    const away: OnReplicaChange = (cause) => {
      awayUntil = performance.now() + AWAY_MS;
      note(cause);
    };
    let found: Awaited<ReturnType<typeof findReplayed>>;
    try {
      found = await findReplayed(on.replica, written);
    } catch (cause) {
      // Not the caller's statement: whatever it is, this server serves no read.
      if (readDatabaseFault(cause) !== "again") away(cause);
      return on.primary(...call);
    }
    if (found === "other") away(new Error(OTHER_DATABASE));
    else note(null);
    if (found !== "there") return on.primary(...call);
    try {
      return await on.replica(...call);
    } catch (cause) {
      const fault = readDatabaseFault(cause);
      const { code } = cause as { code?: unknown };
      // Too slow for one server is too slow for the other, and the caller's own fault stays one.
      if (code === STATEMENT_TIMEOUT || fault === null || fault === "value") throw cause;
      if (code !== READ_ONLY && fault !== "again") away(cause);
    }
    return on.primary(...call);
  };
}

type Written = { lsn: string; id: string };

async function findReplayed(
  replica: RunStatement,
  { lsn, id }: Written,
): Promise<"there" | "behind" | "other"> {
  for (let tries = 1; ; tries++) {
    type Replayed = { isSame: boolean; isThere: boolean };
    const { isSame, isThere } = await rowOf<Replayed>(replica(REPLAYED, [id, lsn]));
    if (!isSame) return "other";
    if (isThere) return "there";
    if (tries === TRIES) return "behind";
    await new Promise((wake) => setTimeout(wake, REPLAY_MS));
  }
}

const rowOf = async <Row>(result: Promise<unknown>): Promise<Row> =>
  ((await result) as { rows: [Row] }).rows[0];
