import cluster from "node:cluster";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { type Env, readEnv } from "../env.ts";
import { createLog } from "../watch/log.ts";
import { findUnknownNames } from "./unknown-names.ts";

/** The settings of a service that starts, from its environment and `.env`. Logs names that look like settings and are none, once for all workers. */
export function loadSettings(): Env {
  loadDotEnv();
  const env = readEnv(process.env);
  if (cluster.isPrimary) {
    for (const unknown of findUnknownNames(process.env)) createLog(env.logLevel).warn({}, unknown);
  }
  return env;
}

/** Adds what `.env` in the working folder has to the environment. A variable that is set keeps its value; an empty one counts as unset. */
export function loadDotEnv(
  environment: Record<string, string | undefined> = process.env,
  folder = ".",
): void {
  for (const [name, value] of Object.entries(parseEnv(readDotEnv(folder)))) {
    if (!environment[name]) environment[name] = value;
  }
}

function readDotEnv(folder: string): string {
  try {
    return readFileSync(join(folder, ".env"), "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return "";
    throw new Error(
      `The user of this process can't read .env (${code}). Grant access, or move the file out of this folder and provide the settings another way, such as systemd's EnvironmentFile=, which root reads.`,
    );
  }
}
