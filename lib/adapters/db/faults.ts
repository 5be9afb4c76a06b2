const DOWN_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "ETIMEDOUT",
  "EPIPE",
  "57P01", // admin shutdown
  "57P02", // crash shutdown
  "57P03", // cannot connect now
  "57014", // statement timeout
  "53300", // too many connections
  "25006", // read-only: a primary that was demoted
]);
const DOWN_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|PGlite is closed|connection is closed|Client has encountered a connection error/i;

/**
 * What a driver's error means for the caller: the database is away, another row was first, a value does
 * not fit. `null` for everything else, which is a defect of ours.
 */
export function readDatabaseFault(cause: unknown): "down" | "duplicate" | "value" | null {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const code = (error as { code?: unknown }).code;
    if (typeof code === "string") {
      if (DOWN_CODES.has(code) || code.startsWith("08")) return "down";
      if (code === "23505") return "duplicate";
      if (code.startsWith("22")) return "value";
    }
    if (DOWN_TEXT.test(error.message)) return "down";
    if (
      error instanceof AggregateError &&
      error.errors.some((one) => readDatabaseFault(one) === "down")
    ) {
      return "down";
    }
  }
  return null;
}
