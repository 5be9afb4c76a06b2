import { existsSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import type { PGlite } from "@electric-sql/pglite";
import type { SQL } from "drizzle-orm";
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres";
import { migrate as migratePg } from "drizzle-orm/node-postgres/migrator";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import pg from "pg";
import { withClient } from "./connections/no-connection.ts";
import { openPools, type PoolOptions, type Workload } from "./connections/pools.ts";
import { refuseOtherReplica } from "./connections/same-database.ts";
import { MIGRATIONS, refuseOldSchema } from "./connections/schema-state.ts";
import { untilFree } from "./faults.ts";
import { applyFunctionFiles, type Session } from "./function-files.ts";
import * as schema from "./schema.ts";

// One number for all replicas: one of them migrates, the others wait and find nothing to do.
const MIGRATION_LOCK = 7_402_001;
const CONNECT_MS = 3_000;
const LOCK_MS = 500;
const MOST_TRIES = 100;

export type Orm = PgDatabase<PgQueryResultHKT, typeof schema>;

/** The database behind every repository: embedded, or any Postgres 15+. */
export type Database = {
  kind: "pglite" | "postgres";
  orm: Orm;
  /** Runs one statement outside the query builder. Counts are numbers; `numeric` ones, credits and money, bigints. */
  query<Row>(text: string, parameters?: unknown[]): Promise<Row[]>;
  /** The same database on the connections of one workload; else those of background work. The embedded one has one connection. */
  for(workload: Workload): Database;
  /** What the database cannot do now although it answers, or null. */
  trouble(): string | null;
  close(): Promise<void>;
};

/** What single statements need of a database. */
export type Queryable = Pick<Database, "query">;

/** The rows of a statement that is part of the builder's transaction. */
export const rowsOf = async <Row>(orm: Orm, statement: SQL): Promise<Row[]> =>
  ((await orm.execute(statement)) as unknown as { rows: Row[] }).rows;

/** Runs work in one transaction of the builder. */
export const inTransaction = <T>(orm: Orm, work: (transaction: Orm) => Promise<T>): Promise<T> =>
  orm.transaction((transaction) => work(transaction as unknown as Orm));

/** Rolls a transaction back, with what its caller answers then. */
export class RolledBack<Answer> extends Error {
  constructor(readonly answer: Answer) {
    super("A transaction was rolled back on purpose.");
  }
}

/** What the work answers, or was rolled back with. */
export const orRolledBack = <Answer>(work: Promise<Answer>): Promise<Answer> =>
  work.catch((cause) => {
    if (cause instanceof RolledBack) return cause.answer;
    throw cause;
  });

/** Without a `url` the embedded database is used. */
export type OpenOptions = Partial<PoolOptions> & {
  /** Folder of the embedded database; without it everything is in memory. */
  dataDir?: string;
  /** An image made by `dumpDataDir`, already migrated: tests start from it. */
  image?: Blob;
  /** Refuses a Postgres whose schema is not up to date, in place of changing it. */
  keepsSchema?: boolean;
};

const { INT8, NUMERIC } = pg.types.builtins;
// Without them one driver hands over texts, the other a mixture.
const PARSERS: Record<number, (text: string) => unknown> = { [INT8]: Number, [NUMERIC]: BigInt };
const TYPES = {
  getTypeParser: ((type: number, format: "text") =>
    PARSERS[type] ?? pg.types.getTypeParser(type, format)) as typeof pg.types.getTypeParser,
};

/** Opens the database and brings its schema up to date, unless it `keepsSchema`. Throws `NoConnection`, or what the driver throws when it cannot. */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  return options.url ? openPostgres({ ...options, url: options.url }) : openEmbedded(options);
}

/** A process on Postgres loads none of it. */
const loadEmbedded = () =>
  Promise.all([
    import("@electric-sql/pglite"),
    import("drizzle-orm/pglite"),
    import("drizzle-orm/pglite/migrator"),
  ]);

/** The default of Node.js 22: with a seventh of it, Node.js 20 optimizes much code that only runs at the start. */
const OPTIMIZE_LATER = "--wasm-tiering-budget=13000000";
/** All of it is cleared at each start, and stays in memory. The default is 128 MB. */
const PAGE_MEMORY = "32MB";

async function openEmbedded({ dataDir, image }: OpenOptions): Promise<Database> {
  const isThere = dataDir !== undefined && existsSync(dataDir);
  const [embedded, { drizzle }] = await loadEmbedded();
  setFlagsFromString(OPTIMIZE_LATER);
  const client = await embedded.PGlite.create({
    ...(dataDir && { dataDir }),
    startParams: [...embedded.PGlite.defaultStartParams, "-c", `shared_buffers=${PAGE_MEMORY}`],
    ...(image && { loadDataDir: image }),
  }).catch((cause) => {
    // It aborts, and does not say why.
    throw isThere ? damaged(dataDir, cause) : cause;
  });
  const orm = drizzle(client, { schema });
  if (!image) await upgradeEmbedded(client);
  const database: Database = {
    kind: "pglite",
    orm: orm as unknown as Orm,
    query: async <Row>(text: string, parameters?: unknown[]) =>
      (await client.query<Row>(text, parameters, { parsers: PARSERS })).rows,
    for: () => database,
    trouble: () => null,
    close: () => client.close(),
  };
  return database;
}

const damaged = (dataDir: string, cause: unknown) =>
  new Error(
    `The embedded database in ${dataDir} is damaged: it cannot be opened. Restore a copy of the data folder, or move it away to start empty.`,
    { cause },
  );

/** Brings an embedded database up to date: tables, then functions and views. */
export async function upgradeEmbedded(client: PGlite): Promise<void> {
  const [, { drizzle }, { migrate }] = await loadEmbedded();
  await migrate(drizzle(client), { migrationsFolder: MIGRATIONS });
  await applyFunctionFiles(client);
}

async function openPostgres(options: OpenOptions & PoolOptions): Promise<Database> {
  if (options.replicaUrl) await refuseOtherReplica(options.url, options.replicaUrl);
  await withSession(options.url, options.keepsSchema ? refuseOldSchema : upgradePostgres);
  const { for: poolOf, transact, trouble, close } = openPools(options);
  const opened = new Map<Workload, Database>();
  function open(workload: Workload): Database {
    const pool = poolOf(workload);
    const orm = drizzlePg(pool, { schema });
    // The query builder's own never returns the connection if `begin` fails.
    const transaction = async (...call: Parameters<typeof orm.transaction>) => {
      const connection = await pool.connect();
      try {
        return await (drizzlePg(connection) as unknown as typeof orm).transaction(...call);
      } finally {
        connection.release();
      }
    };
    return {
      kind: "postgres",
      orm: Object.assign(orm, {
        transaction: (...call: Parameters<typeof transaction>) =>
          transact(() => transaction(...call)),
      }) as unknown as Orm,
      query: async <Row>(text: string, parameters: unknown[] = []) =>
        (await pool.query({ name: statementName(text), text, values: parameters, types: TYPES }))
          .rows as Row[],
      for: databaseFor,
      trouble,
      close,
    };
  }
  function databaseFor(workload: Workload): Database {
    const database = opened.get(workload) ?? open(workload);
    opened.set(workload, database);
    return database;
  }
  return databaseFor("background");
}

/** On a separate connection: a migration takes as long as it takes. */
const withSession = (
  url: string,
  use: (session: Session, client: pg.Client) => Promise<void>,
): Promise<void> =>
  withClient(
    { connectionString: url, keepAlive: true, connectionTimeoutMillis: CONNECT_MS },
    (client) => {
      const session: Session = {
        exec: (sql) => client.query(sql),
        query: (text, parameters) => client.query(text, parameters),
      };
      return use(session, client);
    },
  );

async function upgradePostgres(session: Session, client: pg.Client): Promise<void> {
  await session.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
  await session.exec(`set lock_timeout = ${LOCK_MS}`);
  // A change of the schema waits for the locks of running calls only for a moment, because every later call waits behind it.
  const tries = { most: MOST_TRIES, waitMs: () => LOCK_MS };
  await untilFree(() => migratePg(drizzlePg(client), { migrationsFolder: MIGRATIONS }), tries);
  await untilFree(() => applyFunctionFiles(session), tries);
}

const names = new Map<string, string>();

// Named statements are parsed once per connection.
function statementName(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = `s${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** Whether the folder already holds an embedded database, so that opening it is quick. */
export const hasEmbeddedDatabase = (dataDir: string): boolean =>
  existsSync(`${dataDir}/PG_VERSION`);
