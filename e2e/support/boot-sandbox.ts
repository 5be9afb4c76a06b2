import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../lib/testing/free-port.ts";
import { hasEnded } from "../../lib/testing/has-ended.ts";
import { serviceEnv } from "../../lib/testing/process-env.ts";
import { BUILT_SERVICE } from "../../scripts/build-service.mjs";
import { ensureBuilt } from "../../scripts/ensure.mjs";

const ROOT = join(import.meta.dirname, "../..");
const BOOT_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;

/** A separate sandbox for tests: the built service on free ports, with its data in a temporary folder. */
export type BootedSandbox = { url: string; dataDir: string; stop: () => Promise<void> };

/** Builds the pages if their sources are newer, and boots the service. Throws with the end of its log if it does not start. */
export async function bootSandbox({
  databaseUrl = "",
  settings = {},
}: {
  databaseUrl?: string;
  /** Settings other than its ports and data folder. */
  settings?: Record<string, string>;
} = {}): Promise<BootedSandbox> {
  // Pages of an older tree would be tested without a word.
  await ensureBuilt();
  const dataDir = await mkdtemp(join(tmpdir(), "turnpike-e2e-"));
  const [port, agentPort] = await Promise.all([freePort(), freePort()]);
  const url = `http://localhost:${port}`;
  const service = startService({
    PORT: String(port),
    AGENT_PORT: String(agentPort),
    TURNPIKE_DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    ...settings,
  });
  const stop = async () => {
    await stopService(service.process);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(service, url, join(dataDir, "sandbox.json"));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, dataDir, stop };
}

type Service = { process: ChildProcess; logPath: string };

function startService(settings: Record<string, string>): Service {
  const logPath = join(settings.TURNPIKE_DATA_DIR ?? "", "service.log");
  const args = ["--enable-source-maps", BUILT_SERVICE];
  const service = spawn(process.execPath, args, {
    cwd: ROOT,
    env: serviceEnv({
      NEXT_TELEMETRY_DISABLED: "1",
      // All tests share one address and many share an account; `rate-limits.spec.ts` tests the limits.
      SIGN_INS_PER_MINUTE: "0",
      PUBLIC_CALLS_PER_MINUTE: "0",
      PAGES_PER_MINUTE: "0",
      OUTBOUND_CALLS_PER_MINUTE: "0",
      // A day in a real deployment.
      WITHDRAWAL_WAIT_SECS: "2",
      ...settings,
    }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = createWriteStream(logPath);
  service.stdout.pipe(log, { end: false });
  service.stderr.pipe(log, { end: false });
  return { process: service, logPath };
}

async function waitUntilReady(service: Service, url: string, sandboxPath: string): Promise<void> {
  const deadline = Date.now() + BOOT_TIMEOUT_MS;
  while (!(existsSync(sandboxPath) && (await isHealthy(url)))) {
    const isOver = hasEnded(service.process);
    if (isOver || Date.now() > deadline) {
      const log = await readFile(service.logPath, "utf8").catch(() => "");
      const why = isOver ? "ended while booting" : "was not ready in time";
      throw new Error(`The service ${why}:\n${log.slice(-4_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/v1/health`, { signal: AbortSignal.timeout(2_000) });
    return answer.ok;
  } catch {
    return false;
  }
}

/** Ends it, or finds that it has ended. */
export async function stopService(service: ChildProcess): Promise<void> {
  if (hasEnded(service)) return;
  const ended = once(service, "exit");
  service.kill("SIGTERM");
  const timer = setTimeout(() => service.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
