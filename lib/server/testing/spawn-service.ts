import { type ChildProcess, spawn } from "node:child_process";

/** The API in a process of its own, to be loaded and killed; `settings` go over this process's environment. */
export function spawnService(
  settings: Record<string, string>,
  stderr: "inherit" | "pipe",
): ChildProcess {
  return spawn(
    process.execPath,
    ["--import", "./scripts/typescript.mjs", "lib/server/service.ts"],
    {
      stdio: ["ignore", "ignore", stderr],
      env: { ...process.env, NODE_ENV: "production", LOG_LEVEL: "error", ...settings },
    },
  );
}
