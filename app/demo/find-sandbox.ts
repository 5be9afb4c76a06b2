import "server-only";
import { join } from "node:path";
import type { SandboxFile } from "@/lib/sandbox/sandbox-file.ts";
import { readEnv } from "@/lib/server/env.ts";

/** The sandbox this deployment runs, or `undefined` in live and where none has started. */
export async function findSandbox(): Promise<SandboxFile | undefined> {
  const { environment, dataDir } = readEnv(process.env);
  if (environment !== "sandbox") return undefined;
  const { findSandboxFile } = await import("@/lib/sandbox/sandbox-file.ts");
  return findSandboxFile(join(/* turbopackIgnore: true */ dataDir, "sandbox.json"));
}
