import { join } from "node:path";
import { type Database, hasEmbeddedDatabase, openDatabase } from "@/lib/adapters/db/client.ts";
import type { Log } from "@/lib/domain/ports.ts";
import type { Env } from "./env.ts";
import { noPostgresError } from "./preflight/no-postgres.ts";
import type { Progress } from "./progress.ts";
import { describeCause } from "./watch/error-text.ts";

const BACKGROUND_CONNECTIONS = 6;

/** Why it is opened: a `tool` runs beside the service, or before it on a restored ledger. */
export type As = "service" | "tool";

/** A tool checks and rewrites whole tables: minutes at millions of rows. */
const TOOL_PATIENCE = 60;

/**
 * Opens the Postgres of the settings or, without one, the embedded database in the data folder. Only the service creates or
 * migrates tables in a Postgres: it may be another one than meant, or serve an earlier release.
 */
export async function openDatabaseOf(
  env: Env,
  progress: Progress,
  { as, log }: { as: As; log?: Log },
): Promise<Database> {
  if (env.databaseUrl) {
    const { databaseUrl: url, databaseReplicaUrl: replicaUrl } = env;
    const ofTool = as === "tool" && { patience: TOOL_PATIENCE, keepsSchema: true };
    const onReplicaChange = (cause: unknown) => {
      if (cause === null) log?.info({}, "the replica answers again");
      else log?.warn({ cause: describeCause(cause) }, "the replica does not answer");
    };
    const options = { url, replicaUrl, onReplicaChange, poolSize: BACKGROUND_CONNECTIONS };
    return progress.step("database", "your Postgres", () =>
      openDatabase({ ...options, ...ofTool }).catch((cause) => {
        throw noPostgresError(cause);
      }),
    );
  }
  const dataDir = join(env.dataDir, "postgres");
  const note = hasEmbeddedDatabase(dataDir)
    ? "embedded"
    : "embedded, first start takes a few seconds";
  return progress.step("database", note, () => openDatabase({ dataDir }));
}
