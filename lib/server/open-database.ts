import { join } from "node:path";
import { type Database, hasEmbeddedDatabase, openDatabase } from "@/lib/adapters/db/client.ts";
import type { Env } from "./env.ts";
import { readNoPostgres } from "./preflight/no-postgres.ts";
import type { Progress } from "./progress.ts";

/** Connections of background work. */
const BACKGROUND_CONNECTIONS = 6;

/** Why it is opened: a `tool` runs beside the service, or before it on a restored ledger. */
export type As = "service" | "tool";

/** A tool checks and rewrites whole tables: minutes at millions of rows. */
const TOOL_PATIENCE = 60;

/**
 * Opens the Postgres of the settings or, without one, the embedded database in the data folder. Only the service creates or
 * migrates tables in a Postgres: it may be another one than meant, or serve an earlier release.
 */
export async function openDatabaseOf(env: Env, progress: Progress, as: As): Promise<Database> {
  if (env.databaseUrl) {
    const { databaseUrl: url, databaseReplicaUrl: replicaUrl } = env;
    const ofTool = as === "tool" && { patience: TOOL_PATIENCE, keepsSchema: true };
    return progress.step("database", "your Postgres", () =>
      openDatabase({ url, replicaUrl, poolSize: BACKGROUND_CONNECTIONS, ...ofTool }).catch(
        (cause) => {
          const known = readNoPostgres(cause);
          throw known ? new Error(`${known.cause} ${known.remedy}`, { cause }) : cause;
        },
      ),
    );
  }
  const dataDir = join(env.dataDir, "postgres");
  const note = hasEmbeddedDatabase(dataDir)
    ? "embedded"
    : "embedded, first start takes a few seconds";
  return progress.step("database", note, () => openDatabase({ dataDir }));
}
