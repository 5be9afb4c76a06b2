import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceUrl, setService } from "./service-url.ts";

const ROOT = join(import.meta.dirname, "../..");
const BOOT_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;

/** Boots the built service on free ports with data of its own; the returned function takes it away. */
export default async function globalSetup(): Promise<(() => Promise<void>) | undefined> {
  if (serviceUrl()) return undefined;
  if (!existsSync(join(ROOT, ".next/BUILD_ID"))) {
    throw new Error("There is no build to test. Run npm run build first.");
  }
  const dataDir = await mkdtemp(join(tmpdir(), "turnpike-e2e-"));
  const [port, agentPort] = await Promise.all([freePort(), freePort()]);
  const url = `http://localhost:${port}`;
  const service = startService({ port, agentPort, dataDir });
  const stop = async () => {
    await stopService(service.process);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(service, { url, dataDir });
  } catch (error) {
    await stop();
    throw error;
  }
  setService(url, dataDir);
  return stop;
}

type Service = { process: ChildProcess; logPath: string };

function startService({
  port,
  agentPort,
  dataDir,
}: {
  port: number;
  agentPort: number;
  dataDir: string;
}): Service {
  const logPath = join(dataDir, "service.log");
  const service = spawn(
    process.execPath,
    ["--import", "./scripts/typescript.mjs", "lib/server/main.ts"],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        NODE_ENV: "production",
        NEXT_TELEMETRY_DISABLED: "1",
        PORT: String(port),
        AGENT_PORT: String(agentPort),
        TURNPIKE_DATA_DIR: dataDir,
        TURNPIKE_ENVIRONMENT: "sandbox",
        TURNPIKE_ORIGIN: "",
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const log = createWriteStream(logPath);
  service.stdout.pipe(log, { end: false });
  service.stderr.pipe(log, { end: false });
  return { process: service, logPath };
}

async function waitUntilReady(
  service: Service,
  { url, dataDir }: { url: string; dataDir: string },
): Promise<void> {
  const deadline = Date.now() + BOOT_TIMEOUT_MS;
  const sandboxPath = join(dataDir, "sandbox.json");
  while (!(existsSync(sandboxPath) && (await isHealthy(url)))) {
    const hasEnded = service.process.exitCode !== null;
    if (hasEnded || Date.now() > deadline) {
      const log = await readFile(service.logPath, "utf8").catch(() => "");
      const why = hasEnded ? "ended while booting" : "was not ready in time";
      throw new Error(`The service ${why}:\n${log.slice(-4_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await mkdir(join(ROOT, "test-results"), { recursive: true });
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/v1/health`, { signal: AbortSignal.timeout(2_000) });
    return answer.ok;
  } catch {
    return false;
  }
}

async function stopService(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null) return;
  const ended = once(service, "exit");
  service.kill("SIGTERM");
  const timer = setTimeout(() => service.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No free port was given.");
  return address.port;
}
