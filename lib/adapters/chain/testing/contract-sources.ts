import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));

/** Folder of the compiled contracts. */
export const artifactsFolder = join(here, "artifacts");

/** Our contracts: name → file in `contracts/`. */
export const OWN_CONTRACTS = {
  Captures: "Captures.sol",
  Credits: "Credits.sol",
  Plans: "Plans.sol",
  PeriodLimitsEnforcer: "PeriodLimitsEnforcer.sol",
  SessionLimitsEnforcer: "SessionLimitsEnforcer.sol",
  MockUSDC: "MockUSDC.sol",
  FeeToken: "testing/FeeToken.sol",
  ReentrantReceiver: "testing/ReentrantReceiver.sol",
} as const;

/** Settings that determine the bytecode. No metadata hash, so that a comment does not change an address. */
export const COMPILER_SETTINGS = {
  optimizer: { enabled: true, runs: 1_000 },
  viaIR: true,
  evmVersion: "cancun",
  metadata: { bytecodeHash: "none" },
} as const;

const importPattern = /^import\s[^"]*"([^"]+)"/gm;

function locate(path: string): string {
  if (!path.startsWith("@")) return join(here, "contracts", path);
  for (let folder = here; ; folder = dirname(folder)) {
    const file = join(folder, "node_modules", path);
    if (existsSync(file)) return file;
    if (folder === dirname(folder)) throw new Error(`Solidity import "${path}" is not installed.`);
  }
}

/** Every source file the compiler needs, by import path: ours and the imported libraries'. */
export function compilerSources(): Record<string, string> {
  const sources: Record<string, string> = {};
  const waiting: string[] = Object.values(OWN_CONTRACTS);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (sources[path] !== undefined) continue;
    const content = readFileSync(locate(path), "utf8").replaceAll("\r\n", "\n");
    sources[path] = content;
    for (const [, target] of content.matchAll(importPattern)) {
      if (target)
        waiting.push(target.startsWith(".") ? posix.join(posix.dirname(path), target) : target);
    }
  }
  return Object.fromEntries(Object.entries(sources).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Fingerprint of sources and settings, stored in each artifact to detect a stale one. */
export function sourceHash(): string {
  const text = JSON.stringify([COMPILER_SETTINGS, compilerSources()]);
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
