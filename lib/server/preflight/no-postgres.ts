import pg from "pg";

/** Codes of a server that refuses a connection: not this role, this database, or not now. */
const REFUSED = /^(28|3D000|53300|57P03|E[A-Z]+$)/;

/** Why the Postgres of a setting cannot be reached, and what to do; undefined for other errors. */
export function readNoPostgres(
  cause: unknown,
  setting = "DATABASE_URL",
): { cause: string; remedy: string } | undefined {
  const { code } = cause as { code?: unknown };
  if (typeof code !== "string" || !REFUSED.test(code)) return undefined;
  // What the server says has no password in it; a driver's own text may have.
  const reason = cause instanceof pg.DatabaseError ? cause.message : code;
  return {
    cause: `Postgres does not answer: ${reason}.`,
    remedy: `Check the host, port, database, user and password of ${setting}, and that this machine may connect.`,
  };
}
