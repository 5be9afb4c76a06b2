import "server-only";
import {
  DATABASE_ID,
  OTHER_DATABASE,
  readDatabaseId,
} from "@/lib/adapters/db/connections/same-database.ts";
import { createSmtp } from "@/lib/adapters/mail/smtp.ts";
import type { Env } from "../env.ts";
import { type Check, check, Fault, faultOf } from "./check.ts";
import { withDatabase } from "./database-checks.ts";

/** Parts that a service runs without, and that fail unseen: reads and mails go on, or wait. */
export const optionalChecks = ({
  databaseUrl = "",
  databaseReplicaUrl: replicaUrl,
  smtp,
}: Pick<Env, "databaseUrl" | "databaseReplicaUrl" | "smtp">): Check[] => [
  ...(replicaUrl ? [check("database replica", () => checkReplica(replicaUrl, databaseUrl))] : []),
  ...(smtp ? [check("mail server", () => checkMailServer(smtp))] : []),
];

const checkReplica = (url: string, primaryUrl: string) =>
  withDatabase(
    url,
    async (query) => {
      const [{ id } = { id: "" }] = await query<{ id: string }>(`select ${DATABASE_ID} as id`, []);
      // Other checks say that the primary does not answer.
      const primary = await readDatabaseId(primaryUrl).catch(() => id);
      if (id !== primary) throw faultOf(OTHER_DATABASE);
      const [row] = await query<{ isStandby: boolean }>(
        `select pg_is_in_recovery() as "isStandby"`,
        [],
      );
      if (row?.isStandby) return "a streaming replica";
      throw new Fault(
        "The server of DATABASE_REPLICA_URL is no replica, so no read uses it.",
        "Set it to a streaming replica of DATABASE_URL, or remove it.",
      );
    },
    "DATABASE_REPLICA_URL",
  );

async function checkMailServer(smtp: NonNullable<Env["smtp"]>): Promise<string> {
  const { verify, close } = createSmtp(smtp);
  try {
    await verify();
    return "accepts this login";
  } catch (cause) {
    // The server's words, and the connection's, have no password in them.
    throw new Fault(
      `The mail server does not answer as expected: ${(cause as Error).message}.`,
      "Check the host, port, user and password of TURNPIKE_SMTP_URL, and that this machine may connect.",
    );
  } finally {
    close();
  }
}
