import "server-only";
import { join } from "node:path";
import { readEnv } from "@/lib/server/env.ts";
import { findSandboxFile, type SandboxFile } from "@/lib/server/sandbox-file.ts";

/** The sandbox this deployment runs, or `undefined` in live and where none has started. */
export async function findSandbox(): Promise<SandboxFile | undefined> {
  const { environment, dataDir } = readEnv(process.env);
  if (environment !== "sandbox") return undefined;
  return findSandboxFile(join(/* turbopackIgnore: true */ dataDir, "sandbox.json"));
}
