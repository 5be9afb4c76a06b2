import pg from "pg";
import { NoConnection } from "@/lib/adapters/db/connections/no-connection.ts";

/** Why the Postgres of a setting cannot be reached, and what to do; undefined for other errors. */
export function readNoPostgres(
  error: unknown,
  setting = "DATABASE_URL",
): { cause: string; remedy: string } | undefined {
  if (!(error instanceof NoConnection)) return undefined;
  const { message = "", code, syscall } = error.cause as Partial<NodeJS.ErrnoException>;
  // What the server says has no password in it, nor a driver's error without a code or of a file; other texts may have.
  const isPlain =
    error.cause instanceof pg.DatabaseError || typeof code !== "string" || syscall === "open";
  return {
    cause: `Postgres does not answer: ${isPlain ? message : code}.`,
    remedy: `Check the host, port, TLS, database, user and password of ${setting}, and that this machine may connect.`,
  };
}

/** The same as one error; any other error as it is. */
export function noPostgresError(cause: unknown): unknown {
  const known = readNoPostgres(cause);
  return known ? new Error(`${known.cause} ${known.remedy}`, { cause }) : cause;
}
