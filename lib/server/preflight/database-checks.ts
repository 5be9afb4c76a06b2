import "server-only";
import { findMadeFor, type MadeFor } from "@/lib/adapters/db/chain/made-for.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openClient } from "@/lib/adapters/db/connections/no-connection.ts";
import { MOST_CONNECTIONS } from "@/lib/adapters/db/connections/pools.ts";
import { readSchemaState } from "@/lib/adapters/db/connections/schema-state.ts";
import { findContractsFault, findUnreadable, unreadableText } from "../check-data.ts";
import { type Check, check, Fault, faultOf } from "./check.ts";
import { readNoPostgres } from "./no-postgres.ts";

const MIN_VERSION = 150_000;
const MOST_SKEW_MS = 2_000;

type Query = Database["query"];
type Options = {
  url: string;
  secretKeys: readonly Uint8Array[];
  /** Null while the contracts cannot be read. */
  madeFor: (plans: string) => MadeFor | null;
  now: () => Date;
  workers: number;
};

/** Reads a Postgres without migrating it. */
export async function withDatabase<Result>(
  url: string,
  use: (query: Query) => Promise<Result>,
  setting?: string,
): Promise<Result> {
  const options = { connectionString: url, connectionTimeoutMillis: 5_000 };
  const client = await openClient(options).catch((cause) => {
    const known = readNoPostgres(cause, setting);
    throw known ? new Fault(known.cause, known.remedy) : cause;
  });
  try {
    return await use(
      async <Row>(text: string, values: unknown[]) =>
        (await client.query(text, values)).rows as Row[],
    );
  } finally {
    await client.end().catch(() => {});
  }
}

/** Version, settings, clock, migrations and contents of the database. */
export function databaseChecks({ url, secretKeys, madeFor, now, workers }: Options): Check[] {
  const ask = (name: string, use: (query: Query) => Promise<string>) =>
    check(name, () => withDatabase(url, use));
  return [
    ask("database version", async (query) => {
      const version = await setting(query, "server_version");
      if (Number(await setting(query, "server_version_num")) >= MIN_VERSION)
        return `Postgres ${version}`;
      throw new Fault(`This is Postgres ${version}.`, "Upgrade to Postgres 15 or newer.");
    }),
    ask("database settings", checkSettings),
    ask("database connections", (query) => checkConnections(query, workers * MOST_CONNECTIONS)),
    ask("clocks", async (query) => {
      const before = now();
      const [row] = await query<{ now: Date }>("select clock_timestamp() as now", []);
      const skew = Math.abs((row?.now.getTime() ?? 0) - before.getTime());
      if (skew <= MOST_SKEW_MS) return `the database's clock differs by ${skew} ms`;
      throw new Fault(
        `The clocks of this machine and of the database differ by ${Math.round(skew / 1000)} s.`,
        "Run an NTP client on both.",
      );
    }),
    ask("migrations", async (query) => {
      const { isNew, pending, newer } = await readSchemaState(query);
      if (isNew) return "empty; the first start creates the tables";
      if (newer > 0) return `${newer} of a newer release, which this one ignores`;
      return pending === 0 ? "up to date" : `${pending} pending; the next start applies them`;
    }),
    ask("sealed data", async (query) => {
      if ((await readSchemaState(query)).isNew) return "none yet";
      const kinds = await findUnreadable({ database: { query } as Database, secretKeys });
      if (kinds.length === 0) return "opens under TURNPIKE_SECRET_KEY";
      throw new Fault(
        unreadableText(kinds).split(". ", 1)[0] ?? "",
        "Set the key that sealed them, or list it after the new one: TURNPIKE_SECRET_KEY=NEW,OLD.",
      );
    }),
    ask("contracts of the data", async (query) => {
      const [known] = await query<{ at: string | null }>(
        "select to_regclass('made_for') as at",
        [],
      );
      const made = known?.at ? await findMadeFor({ query }) : undefined;
      const wanted = made && madeFor(made.plans);
      if (!wanted) return "not recorded yet; the first start records them";
      const fault = findContractsFault(made, wanted);
      if (!fault) return `chain ${made.chainId}, Plans at ${made.plans}`;
      throw faultOf(fault);
    }),
  ];
}

async function checkSettings(query: Query): Promise<string> {
  const isolation = await setting(query, "default_transaction_isolation");
  if (isolation !== "read committed") {
    throw new Fault(
      `default_transaction_isolation is ${isolation}.`,
      "Set it to read committed for this database: the ledger takes its own locks (docs/adr/0004-lock-order.md).",
    );
  }
  if ((await setting(query, "synchronous_commit")) === "off") {
    throw new Fault(
      "synchronous_commit is off: a crash of the database loses settled calls.",
      "Set synchronous_commit to on for this database.",
    );
  }
  if ((await setting(query, "default_transaction_read_only")) === "on") {
    throw new Fault(
      "The database is read-only.",
      "Point DATABASE_URL at the primary, with default_transaction_read_only off.",
    );
  }
  const encoding = await setting(query, "server_encoding");
  if (encoding === "UTF8") return "read committed, synchronous commit, UTF8";
  throw new Fault(`The database's encoding is ${encoding}.`, "Create it with encoding UTF8.");
}

/** A process that gets fewer answers 503 under load. */
async function checkConnections(query: Query, needed: number): Promise<string> {
  const [{ most } = { most: 0 }] = await query<{ most: number }>(
    `select least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
    )::int as most`,
    [],
  );
  if (most >= needed) return `${most} allowed; one service opens up to ${needed}`;
  throw new Fault(
    `This service opens up to ${needed} connections, and the database allows ${most}.`,
    "Raise max_connections, or the limit of the role or the database, to at least that for each replica, and some for the tools.",
  );
}

async function setting(query: Query, name: string): Promise<string> {
  const [row] = await query<{ value: string }>("select current_setting($1) as value", [name]);
  return row?.value ?? "";
}
