/**
 * What a driver's error means for the caller: the database is away, did not answer in time, cannot write, or rolled the
 * work back for another's sake, so that it may be run again; another row was first, or a value does not fit. `null` is a
 * defect of ours.
 */
export type DatabaseFault = "down" | "silent" | "full" | "again" | "duplicate" | "value";

const CODES: Record<string, DatabaseFault> = {
  ECONNREFUSED: "down",
  ECONNRESET: "down",
  ENOTFOUND: "down",
  EAI_AGAIN: "down",
  EHOSTUNREACH: "down",
  ENETUNREACH: "down",
  "57P01": "down", // admin shutdown
  "57P02": "down", // crash shutdown
  "57P03": "down", // cannot connect now
  "53300": "down", // too many connections
  "25006": "full", // read-only: a primary that was demoted, or one whose disk is about to be full
  ETIMEDOUT: "silent",
  "57014": "silent", // statement timeout
  "40001": "again", // serialization failure
  "40P01": "again", // deadlock
  "55P03": "again", // lock not available
  // Ended while this process was frozen, before it sent what failed: on another connection it runs.
  "57P05": "again", // idle session timeout
  "25P03": "again", // idle in transaction timeout
  EPIPE: "again", // the same on a Unix socket, which refuses the statement before that is read
  "23505": "duplicate",
};
/** By the first two characters: connections; resources such as disk and memory; input and output of the server; values. */
const CLASSES: Record<string, DatabaseFault> = {
  "08": "down",
  "28": "down", // a password that was changed at the server, or not yet here
  "53": "full",
  "58": "full",
  "22": "value",
};
const TEXTS: [RegExp, DatabaseFault][] = [
  // A migration changed what a prepared statement reads; another connection prepares it again.
  [/cached plan must not change result type/i, "again"],
  [
    /Connection terminated|connect ENOENT|timeout exceeded when trying to connect|PGlite is closed|connection is closed|Client has encountered a connection error|after calling end on the pool/i,
    "down",
  ],
];

export function readDatabaseFault(cause: unknown): DatabaseFault | null {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code } = error as { code?: unknown };
    const known = typeof code === "string" ? (CODES[code] ?? CLASSES[code.slice(0, 2)]) : undefined;
    const fault = known ?? TEXTS.find(([text]) => text.test((error as Error).message))?.[1];
    if (fault) return fault;
    if (
      error instanceof AggregateError &&
      error.errors.some((one) => readDatabaseFault(one) === "down")
    ) {
      return "down";
    }
  }
  return null;
}

/** The database's error of this code among the causes, as either driver reports it. */
export function databaseError(cause: unknown, wanted: string): { constraint?: string } | undefined {
  for (let error = cause; error; error = (error as { cause?: unknown }).cause) {
    const found = error as { code?: string; constraint?: string };
    if (found.code === wanted) return found;
  }
  return undefined;
}

/** Runs work again, after a random part of a wait, that Postgres rolled back for another's sake. */
export async function untilFree<T>(
  run: () => Promise<T>,
  { most, waitMs }: { most: number; waitMs: (tries: number) => number },
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (cause) {
      if (tries >= most || readDatabaseFault(cause) !== "again") throw cause;
      await new Promise((wake) => setTimeout(wake, Math.random() * waitMs(tries)));
    }
  }
}

/**
 * Whether Postgres refused a value that a statement was given, or what it would have made of it: the statement was
 * rolled back, and may succeed without that value.
 */
export function isOfValues(cause: unknown): boolean {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code } = error as { code?: unknown };
    if (typeof code === "string") return /^(?:22|23|P0)[0-9A-Z]{3}$/.test(code);
  }
  return false;
}
