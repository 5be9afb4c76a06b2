import { spawn } from "node:child_process";
import { join } from "node:path";
import { bootSandbox } from "../e2e/support/boot-sandbox.ts";
import { withoutSettings } from "../lib/testing/process-env.ts";

/**
 * Runs a command against a separate sandbox.
 * `node --import ./scripts/typescript.mjs scripts/with-sandbox.ts node a.mjs`
 */
async function withSandbox(command: string[]): Promise<number> {
  const sandbox = await bootSandbox({ databaseUrl: process.env.SANDBOX_DATABASE_URL ?? "" });
  const env = {
    ...withoutSettings(),
    TURNPIKE_URL: sandbox.url,
    TURNPIKE_E2E_DATA_DIR: sandbox.dataDir,
    TURNPIKE_SANDBOX_JSON: join(sandbox.dataDir, "sandbox.json"),
  };
  try {
    return await runCommand(command, env);
  } finally {
    await sandbox.stop();
  }
}

function runCommand([command = "", ...args]: string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { stdio: "inherit", env });
    child.once("error", failed);
    child.once("exit", (status) => done(status ?? 1));
  });
}

process.exitCode = await withSandbox(process.argv.slice(2));
