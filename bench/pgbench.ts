import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { inFolder } from "@/lib/testing/temp-folder.ts";

const runFile = promisify(execFile);
const CLIENTS = "64";
const THREADS = "2";

/** Transactions per second of Postgres alone: its own TPC-B, and updates of one row by everyone. */
export type PgbenchRates = { tpcb: number; oneRow: number };

/** Runs pgbench with as many branches as clients, as its manual advises; null where it is not installed. */
export async function runPgbench(databaseUrl: string, secs: number): Promise<PgbenchRates | null> {
  const pgbench = findPgbench();
  if (!pgbench) return null;
  await runFile(pgbench, ["--initialize", "--quiet", "--scale", CLIENTS, databaseUrl]);
  const load = ["--client", CLIENTS, "--jobs", THREADS, "--time", String(secs)];
  const rateOf = async (...script: string[]) => {
    const { stdout } = await runFile(pgbench, [
      ...load,
      ...["--protocol", "prepared", "--no-vacuum", ...script, databaseUrl],
    ]);
    return Math.round(Number(/tps = ([\d.]+)/.exec(stdout)?.[1]));
  };
  return inFolder(async (folder) => {
    const script = join(folder, "one-row.sql");
    await writeFile(
      script,
      "UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = 1 RETURNING abalance;\n",
    );
    return { tpcb: await rateOf("--builtin", "tpcb-like"), oneRow: await rateOf("--file", script) };
  });
}

function findPgbench(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  return [
    ...(process.env.PATH ?? "").split(delimiter),
    ...versions.toSorted((a, b) => Number(b) - Number(a)).map((each) => join(debian, each, "bin")),
  ]
    .map((folder) => join(folder, "pgbench"))
    .find((path) => existsSync(path));
}
