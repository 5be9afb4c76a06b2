import { appendFile } from "node:fs/promises";
import { cpus } from "node:os";

/** What a run compares. Each is our rate over a peer's, except the gate's: what ours adds over what stock adds. */
const NAMES = [
  /** Verify, over plain Hono that echoes the same body. */
  "verifyToEcho",
  /** Settle of many balances, over Postgres's TPC-B by pgbench. */
  "settleToPgbench",
  /** Settle of one balance, over settle of many. */
  "hotToSpread",
  /** Settle of one balance, over the same one by one. */
  "batchedToUnbatched",
  /** Time that our gate adds to a call, over what stock `@x402/hono` adds. */
  "gateToStock",
  /** The same with a lease of credits. */
  "leasedGateToStock",
] as const;
type Ratios = Record<(typeof NAMES)[number], number>;

/** What an area measured. A ratio is left out when its peer is not on this machine. */
export type Measured = { figures: Record<string, unknown>; ratios: Partial<Ratios> };

/** How an area runs: where its lines go, and how long each load lasts, in seconds. */
export type BenchOptions = { secs: number; say: (line: string) => void };

/** Two digits after the point; undefined for what was not measured. */
export const ratio = (ours: number, theirs: number | undefined): number | undefined =>
  theirs === undefined || !(theirs > 0) ? undefined : Math.round((100 * ours) / theirs) / 100;

/** One document for a whole run. A ratio that was not measured is null. */
export function documentOf(measured: Record<string, Measured>) {
  const found: Partial<Ratios> = Object.assign({}, ...Object.values(measured).map((m) => m.ratios));
  const [{ model } = { model: "unknown" }] = cpus();
  return {
    at: new Date().toISOString(),
    machine: { cores: cpus().length, model, node: process.version },
    ratios: Object.fromEntries(NAMES.map((name) => [name, found[name] ?? null])),
    figures: Object.fromEntries(Object.entries(measured).map(([area, m]) => [area, m.figures])),
  };
}

/** Adds the run to the history, one line a run. */
export const keep = (file: string, document: ReturnType<typeof documentOf>): Promise<void> =>
  appendFile(file, `${JSON.stringify(document)}\n`);
