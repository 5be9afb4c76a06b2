import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

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
      `The user of this process can't read .env (${code}). Let it, or give the settings another way: systemd's EnvironmentFile= is read by root.`,
    );
  }
}
