import { randomBytes } from "node:crypto";
import pg from "pg";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createTestDatabase } from "@/lib/adapters/db/testing/stores.ts";
import { readEnv } from "../env.ts";
import { openDatabaseOf } from "../open-database.ts";
import { silentProgress } from "../progress.ts";
import { runCheck } from "./check.ts";
import { databaseChecks } from "./database-checks.ts";

const postgres = inject("postgresUrl");

describe.runIf(postgres)("checks of a Postgres", () => {
  let url: string;
  beforeAll(async () => {
    url = await createTestDatabase(postgres ?? "", inject("postgresTemplate"));
  });

  const run = (name: string, to: { url?: string; workers?: number } = {}) => {
    const options = { madeFor: () => null, now: () => new Date(), secretKeys: [randomBytes(32)] };
    const checks = databaseChecks({ ...options, url, workers: 1, ...to });
    const found = checks.find((one) => one.name === name);
    if (!found) throw new Error(`There is no check of ${name}.`);
    return runCheck(found);
  };

  test("a release that is older than the database starts on it, and every check runs", async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      "insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9999999999999)",
    );
    await client.end();
    expect(await run("migrations")).toMatchObject({
      ok: true,
      found: "1 of a newer release, which this one ignores",
    });
    expect(await run("sealed data")).toMatchObject({ ok: true });
  });

  test("too few connections for the processes are named with their number", async () => {
    expect(await run("database connections")).toMatchObject({ ok: true });
    expect(await run("database connections", { workers: 256 })).toMatchObject({
      ok: false,
      cause: expect.stringMatching(
        /^This service opens up to 6656 connections, and the database allows \d+\.$/,
      ),
    });
  });

  test("what the server refuses is told in its words", async () => {
    const missing = url.replace(/[^/]+$/, "nodb");
    expect(await run("database version", { url: missing })).toMatchObject({
      ok: false,
      cause: 'Postgres does not answer: database "nodb" does not exist.',
    });
  });

  test("TLS that the server does not speak is told with the setting, by the check and by the start", async () => {
    const withTls = `${url}?sslmode=require`;
    const words = "Postgres does not answer: The server does not support SSL connections.";
    expect(await run("database version", { url: withTls })).toMatchObject({
      ok: false,
      cause: words,
      remedy: expect.stringContaining("DATABASE_URL"),
    });
    const env = readEnv({ DATABASE_URL: withTls });
    const opened = openDatabaseOf(env, silentProgress, { as: "tool" });
    await expect(opened).rejects.toThrow(`${words} Check the host`);
  });

  test("a certificate that cannot be read is named with its file, by the check and by the start", async () => {
    const without = `${url}?sslmode=verify-full&sslrootcert=/nope/ca.pem`;
    const words = /^Postgres does not answer: ENOENT: .*\/nope\/ca\.pem/;
    expect(await run("database version", { url: without })).toMatchObject({
      ok: false,
      cause: expect.stringMatching(words),
    });
    const opened = openDatabaseOf(readEnv({ DATABASE_URL: without }), silentProgress, {
      as: "tool",
    });
    await expect(opened).rejects.toThrow(words);
  });
});
