import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

const PAGE_BYTES = 4_096;
const READS = 100;

/** The value below which so large a part of them is; 0 without any. */
export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;

export type Percentiles = { p50: number; p95: number; p99: number };

export function percentilesOf(took: number[]): Percentiles {
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.ceil(took.length * share) - 1] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** How long each read takes; throws when one fails. */
export async function measureReads(reads: Record<string, () => Promise<unknown>>) {
  const all: Record<string, Percentiles> = {};
  for (const [name, read] of Object.entries(reads)) {
    const took: number[] = [];
    const first = performance.now();
    // What takes a second is measured a few times: its figure is far from the bar either way.
    for (let n = 0; n < READS && performance.now() - first < 8_000; n += 1) {
      const start = performance.now();
      // An error can be faster than any answer, and a read that the deadline cancels is over every bar.
      await read().catch((cause: Error) => {
        throw new Error(`${name}: ${cause.message}`, { cause });
      });
      took.push(performance.now() - start);
    }
    all[name] = percentilesOf(took);
  }
  return all;
}

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
