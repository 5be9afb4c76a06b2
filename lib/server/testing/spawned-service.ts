import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getFixedCreditsConfig, type Settlement } from "@turnpike/payments/protocol";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { planDeployment } from "@/lib/adapters/chain/deployment-plan.ts";
import { type OpenOptions, openDatabase } from "@/lib/adapters/db/client.ts";
import { EMBEDDED_CHAIN_ID } from "@/lib/sandbox/chain/anvil-process.ts";
import { adminKeyOf } from "@/lib/sandbox/chain/sandbox-roles.ts";
import { hasEnded } from "@/lib/testing/has-ended.ts";
import { requirementOf } from "./operation-samples.ts";
import { type SpawnedService, spawnService, startService } from "./spawn-service.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "./test-service.ts";

const GRANTED = 1_000_000n;

/** A data folder with a market in it, on which the real service can be started, killed and started again. */
export type Spawnable = {
  folder: string;
  databaseOptions: OpenOptions;
  market: TestMarket;
  granted: bigint;
  start: (settings?: Record<string, string>) => Promise<RunningService>;
  /** Starts it once and waits for its end: what a second instance does. */
  startRefused: (
    settings?: Record<string, string>,
  ) => Promise<{ code: number | null; stderr: string }>;
  remove: () => Promise<void>;
};

export type RunningService = {
  url: string;
  pid: number;
  settle: (agentRequestId: string) => Promise<Settlement>;
  post: (path: string, body: object) => Promise<Response>;
  balance: () => Promise<bigint>;
  isRunning: () => boolean;
  /** What it has written to standard error. */
  stderr: () => string;
  kill: () => Promise<void>;
  /** Ends it politely; the code it ended with. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
};

/** Seeds a folder, or the database at the address, with a builder, a plan, an agent and a subscriber's token. */
export async function createSpawnable({
  databaseUrl,
  image,
}: {
  databaseUrl?: string;
  /** What the folder's database starts from; without it, every migration runs. */
  image?: Blob;
} = {}): Promise<Spawnable> {
  const {
    folder,
    databaseOptions,
    seeded: market,
  } = await seedFolder(
    databaseUrl,
    (service) => createMarket(service, { credits: getFixedCreditsConfig(GRANTED, 1n) }),
    image,
  );
  const running = new Set<ChildProcess>();

  const spawningWith = (settings: Record<string, string> = {}) => ({
    settings: {
      TURNPIKE_DATA_DIR: folder,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...settings,
    },
    onSpawned: (child: ChildProcess) => running.add(child),
  });

  return {
    folder,
    databaseOptions,
    market,
    granted: GRANTED,
    start: async (settings) => runningService(await startService(spawningWith(settings)), market),
    async startRefused(settings) {
      const { ended, stderr } = await spawnService(spawningWith(settings));
      const code = await ended;
      return { code, stderr: stderr() };
    },
    async remove() {
      for (const child of running) child.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A data folder with fresh secrets, seeded through a service in this process. */
export async function seedFolder<Seeded>(
  databaseUrl: string | undefined,
  seed: (service: TestService) => Promise<Seeded>,
  image?: Blob,
) {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-service-"));
  const secrets = {
    secretKey: randomBytes(32).toString("hex"),
    settlerPrivateKey: randomBytes(32).toString("hex"),
  };
  writeFileSync(join(folder, "secrets.json"), JSON.stringify(secrets), { mode: 0o600 });
  const databaseOptions: OpenOptions = databaseUrl
    ? { url: databaseUrl }
    : { dataDir: join(folder, "postgres") };
  const database = await openDatabase({ ...databaseOptions, ...(image && { image }) });
  const secretKey = Buffer.from(secrets.secretKey, "hex");
  const service = createTestService(database, {
    secretKey,
    deployment: sandboxDeployment({
      secretKey,
      settlerPrivateKey: `0x${secrets.settlerPrivateKey}`,
    }),
  });
  const seeded = await seed(service);
  await database.close();
  return { folder, databaseOptions, seeded };
}

/** Where a sandbox with these secrets has its contracts; computed without its chain. */
function sandboxDeployment(secrets: { secretKey: Uint8Array; settlerPrivateKey: Hex }) {
  const admin = privateKeyToAddress(adminKeyOf(secrets.secretKey));
  const operator = privateKeyToAddress(secrets.settlerPrivateKey);
  const roles = { admin, pauser: admin, operator };
  const chainId = EMBEDDED_CHAIN_ID;
  return planDeployment({ chainId, roles, sandbox: true, framework: "own", hasTestDollar: true })
    .deployment;
}

/** A started service with the calls of a market's builder. */
export function runningService(
  { child, url, stderr, end }: SpawnedService,
  market: TestMarket,
): RunningService {
  const post = (path: string, body: object) =>
    fetch(`${url}/api/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${market.builder.apiKey}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
  return {
    url,
    pid: child.pid ?? 0,
    post,
    async settle(agentRequestId) {
      const response = await post("/x402/settle", {
        paymentRequired: requirementOf(market),
        x402AccessToken: market.token,
        agentRequestId,
      });
      if (!response.ok) throw new Error(`settle answered ${response.status}`);
      return response.json();
    },
    async balance() {
      const { planId, subscriber } = market;
      const path = `/protocol/plans/${planId}/balance/${subscriber.address}`;
      const answer = await fetch(`${url}/api/v1${path}`);
      return BigInt((await answer.json()).balance);
    },
    stderr,
    isRunning: () => !hasEnded(child),
    kill: async () => {
      await end("SIGKILL");
    },
    stop: (signal = "SIGTERM") => end(signal),
  };
}
