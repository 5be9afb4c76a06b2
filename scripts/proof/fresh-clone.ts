import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readSandboxFile } from "../../lib/sandbox/sandbox-file.ts";
import { besideProcess } from "../../lib/testing/beside-process.ts";
import { freePort } from "../../lib/testing/free-port.ts";
import { withoutSettings } from "../../lib/testing/process-env.ts";
import { inFolder } from "../../lib/testing/temp-folder.ts";

// Clones the committed tree into an empty folder and runs one command, as a newcomer does.
const [what] = process.argv.slice(2);
await inFolder(async (folder) => {
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", ".", folder]);
  process.exitCode = what === "start" ? await proveStart(folder) : await runTests(folder);
});

async function runTests(folder: string): Promise<number> {
  const child = spawn("npm", ["test"], {
    cwd: folder,
    env: withoutSettings(),
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [status] = await once(child, "exit");
  return status ?? 1;
}

async function proveStart(folder: string): Promise<number> {
  const [port, agentPort] = await Promise.all([freePort(), freePort()]);
  const env = { ...withoutSettings(), PORT: String(port), AGENT_PORT: String(agentPort) };
  const first = await startOnce(folder, env, port);
  const second = await startOnce(folder, env, port);
  console.log(`first start ${Math.round(first)} s, second start ${second.toFixed(1)} s`);
  return 0;
}

/** Starts, checks health and the sandbox file, and stops with SIGINT. Returns the time until ready. */
async function startOnce(folder: string, env: NodeJS.ProcessEnv, port: number): Promise<number> {
  const start = performance.now();
  const child = spawn("npm", ["start"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  return besideProcess(child, async () => {
    await untilLine(child, /ready in/);
    const secs = (performance.now() - start) / 1000;
    const health = await fetch(`http://localhost:${port}/api/v1/health`);
    if (health.status !== 200) throw new Error(`Health returned ${health.status}.`);
    const sandbox = await readSandboxFile(join(folder, ".turnpike/sandbox.json"));
    if (!sandbox.url.endsWith(`:${port}`)) throw new Error("sandbox.json is from another start.");
    return secs;
  });
}

function untilLine(child: ChildProcess, pattern: RegExp): Promise<void> {
  return new Promise((found, failed) => {
    let seen = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      process.stdout.write(chunk);
      seen += chunk.toString();
      if (pattern.test(seen)) found();
    });
    child.once("exit", (status) => failed(new Error(`npm start ended with ${status}.`)));
  });
}
