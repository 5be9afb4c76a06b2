import { withClient } from "./no-connection.ts";

/** Which database this is, as an expression: the same on a primary and on its replicas, and on no other. */
export const DATABASE_ID =
  "(select s.system_identifier || '/' || d.oid from pg_control_system() s, pg_database d where d.datname = current_database())";
export const OTHER_DATABASE =
  "DATABASE_REPLICA_URL names another database than DATABASE_URL. Set it to the same database on a streaming replica, or remove it.";
const CONNECT_MS = 3_000;

/**
 * Refuses a replica that has other data than the primary. One that does not answer may be the right one.
 *
 * @throws Error that says which setting is wrong.
 */
export async function refuseOtherReplica(url: string, replicaUrl: string): Promise<void> {
  const [primary, replica] = await Promise.all([
    readDatabaseId(url),
    readDatabaseId(replicaUrl).catch(() => null),
  ]);
  if (replica === null || replica === primary) return;
  throw new Error(OTHER_DATABASE);
}

/** The database at an address, as an id. */
export const readDatabaseId = (url: string): Promise<string> =>
  withClient({ connectionString: url, connectionTimeoutMillis: CONNECT_MS }, async (client) => {
    return (await client.query(`select ${DATABASE_ID} as id`)).rows[0].id;
  });
