import "server-only";
import type { Database } from "@/lib/adapters/db/client.ts";
import { readSchemaState } from "@/lib/adapters/db/connections/schema-state.ts";
import type { Env } from "../env.ts";
import { findLeftOutCards } from "../settings/left-out-cards.ts";
import { type Check, check, Fault } from "./check.ts";
import { withDatabase } from "./database-checks.ts";

/** Whether the database has card payments that a service without cards leaves undone. */
export const leftOutCheck = ({ databaseUrl = "" }: Pick<Env, "databaseUrl">): Check =>
  check("cards of the data", () =>
    withDatabase(databaseUrl, async (query) => {
      if ((await readSchemaState(query)).pending > 0) return "not read before the migrations";
      const fault = await findLeftOutCards({ query } as Database);
      if (!fault) return "none that need the card processor";
      const [cause = "", ...remedy] = fault.split(/(?<=\.) (?=Set )/);
      throw new Fault(cause, remedy.join(" "));
    }),
  );
