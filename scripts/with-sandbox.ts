import { spawn } from "node:child_process";
import { join } from "node:path";
import { bootSandbox } from "../e2e/support/boot-sandbox.ts";
import { withoutSettings } from "../lib/testing/process-env.ts";

/**
 * Runs commands, separated by `--`, against one separate sandbox; stops at the first failure.
 * `node --import ./scripts/typescript.mjs scripts/with-sandbox.ts node a.mjs -- node b.mjs`
 */
async function withSandbox(commands: string[][]): Promise<number> {
  const sandbox = await bootSandbox({ databaseUrl: process.env.SANDBOX_DATABASE_URL ?? "" });
  const env = {
    ...withoutSettings(),
    TURNPIKE_URL: sandbox.url,
    TURNPIKE_E2E_DATA_DIR: sandbox.dataDir,
    TURNPIKE_SANDBOX_JSON: join(sandbox.dataDir, "sandbox.json"),
  };
  try {
    for (const command of commands) {
      const status = await runCommand(command, env);
      if (status !== 0) return status;
    }
    return 0;
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

function splitAt(words: string[], mark: string): string[][] {
  const parts: string[][] = [[]];
  for (const word of words) word === mark ? parts.push([]) : parts.at(-1)?.push(word);
  return parts.filter((part) => part.length > 0);
}

process.exitCode = await withSandbox(splitAt(process.argv.slice(2), "--"));
