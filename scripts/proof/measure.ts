import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

const PAGE_BYTES = 4_096;

/** The value below which so large a part of them is; 0 without any. */
export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;

/** Resident memory of a process, in bytes. */
export const memoryOf = (pid: number | undefined): number =>
  Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES;

/** Starts this proof again as a client, until it prints `started`. Stopping it answers what it printed after that. */
export async function startClient(script: string, args: string[]): Promise<() => Promise<string>> {
  const client = spawn(process.execPath, [...process.execArgv, script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  client.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  await once(client.stdout, "data");
  return async () => {
    client.kill("SIGTERM");
    await once(client, "close");
    return printed.replace(/^started/, "");
  };
}
