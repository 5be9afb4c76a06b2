import { type ChildProcess, spawn } from "node:child_process";
import { bundled } from "@/lib/testing/bundled.ts";
import { freePort } from "@/lib/testing/free-port.ts";
import { hasEnded } from "@/lib/testing/has-ended.ts";
import { serviceEnv } from "@/lib/testing/process-env.ts";

/** The options of Node.js that `npm start` and the image run the service with (ADR 163). */
export const NODE_OPTIONS = ["--max-semi-space-size=64"];
const ATTEMPTS_MS = 60_000;
const HEALTHY_MS = 180_000;

/** The API in its own process, to be loaded and killed. */
export type SpawnedService = {
  url: string;
  child: ChildProcess;
  /** Its code, once it has ended for any reason. */
  ended: Promise<number | null>;
  stderr: () => string;
  /** Sends a signal and waits for its end. */
  end: (signal: NodeJS.Signals) => Promise<number | null>;
};

type Spawning = {
  /** Everything the service is told; it inherits none of this process's settings. */
  settings: Record<string, string>;
  /** Another file that boots it. */
  entry?: string;
  /** Told of every process, so that none is left behind. */
  onSpawned?: (child: ChildProcess) => void;
};

/** Starts a process on a free port, and does not wait for it. */
export async function spawnService({
  settings,
  entry = bundled("lib/server/service.ts"),
  onSpawned,
}: Spawning): Promise<SpawnedService> {
  const port = String(await freePort());
  const loader = entry.endsWith(".ts") ? ["--import", "./scripts/typescript.mjs"] : [];
  const args = [...NODE_OPTIONS, ...loader, entry];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: serviceEnv({ LOG_LEVEL: "error", PORT: port, ...settings }),
  });
  onSpawned?.(child);
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return { url: `http://127.0.0.1:${port}`, child, ended, stderr: () => stderr, end };
}

/** Starts a process and waits until it is healthy. What a killed one held may take a moment to be free again. */
export async function startService(spawning: Spawning): Promise<SpawnedService> {
  const deadline = Date.now() + ATTEMPTS_MS;
  for (;;) {
    const spawned = await spawnService(spawning);
    if (await becomesHealthy(spawned)) return spawned;
    await spawned.end("SIGKILL");
    if (Date.now() > deadline) throw new Error(`The service did not start: ${spawned.stderr()}`);
  }
}

/** Whether it answers before it ends: a process that a signal killed has no exit code. */
export async function becomesHealthy({ child, url }: SpawnedService): Promise<boolean> {
  const deadline = Date.now() + HEALTHY_MS;
  while (!hasEnded(child) && Date.now() < deadline) {
    const response = await fetch(`${url}/api/v1/health`).catch(() => null);
    if (response?.ok) return true;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  return false;
}
