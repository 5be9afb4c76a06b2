import { type ChildProcess, spawn } from "node:child_process";

/**
 * The API in its own process, to be loaded and killed; `settings` go over this process's environment.
 * `entry` is another file that boots it.
 */
export function spawnService(
  settings: Record<string, string>,
  stderr: "inherit" | "pipe",
  entry = "lib/server/service.ts",
): ChildProcess {
  return spawn(process.execPath, ["--import", "./scripts/typescript.mjs", entry], {
    stdio: ["ignore", "ignore", stderr],
    env: { ...process.env, NODE_ENV: "production", LOG_LEVEL: "error", ...settings },
  });
}
