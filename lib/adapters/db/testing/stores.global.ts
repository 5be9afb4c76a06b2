import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import type { TestProject } from "vitest/node";
import { removeBundles } from "../../../testing/bundled.ts";
import { openDatabase, upgradeEmbedded } from "../client.ts";
import { type PostgresCluster, startPostgres } from "./postgres-cluster.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A migrated embedded database, as a file every test file starts from. */
    pgliteImage: string;
    /** A running Postgres, or empty where the machine has none. */
    postgresUrl: string;
    /** The same by its Unix socket, which costs both sides less than TCP. */
    postgresSocket: string;
    /** The name of a migrated database on it, which every test's database is a copy of. */
    postgresTemplate: string;
  }
}

const TEMPLATE = "migrated";

/** Once for all test files: the embedded database's image, and a real Postgres beside it. */
export default async function setUpStores(project: TestProject) {
  // `vitest run e2e`: package tests have a sandbox, and need no databases.
  const paths = process.argv.slice(3);
  if (paths.length > 0 && paths.every((path) => path.startsWith("e2e"))) return;
  const folder = await mkdtemp(join(tmpdir(), "turnpike-image-"));
  // One after the other: the embedded database's start blocks this process, and connections would time out.
  const cluster = await startMigratedPostgres();
  await writeImage(join(folder, "pglite.tar"));
  project.provide("pgliteImage", join(folder, "pglite.tar"));
  project.provide("postgresUrl", cluster?.url ?? "");
  project.provide("postgresSocket", cluster?.bySocket(cluster.url) ?? "");
  project.provide("postgresTemplate", TEMPLATE);
  const stores = cluster
    ? `PGlite and Postgres ${cluster.version}`
    : "PGlite only (no Postgres on this machine)";
  console.log(`\nDatabase tests run on ${stores}.\n`);
  return async () => {
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
    removeBundles();
  };
}

async function startMigratedPostgres(): Promise<PostgresCluster | null> {
  const cluster = await startPostgres();
  if (!cluster) return null;
  const url = await cluster.createDatabase(TEMPLATE);
  // A database with open connections cannot be copied.
  await (await openDatabase({ url, poolSize: 1 })).close();
  return cluster;
}

async function writeImage(path: string): Promise<void> {
  const client = await PGlite.create();
  await upgradeEmbedded(client);
  const image = await client.dumpDataDir("none");
  await writeFile(path, Buffer.from(await image.arrayBuffer()));
  await client.close();
}
