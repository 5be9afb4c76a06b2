import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, getAddress } from "viem";
import { creditsAbi } from "@/lib/adapters/chain/abis.ts";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { freePort } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { openSandbox } from "@/lib/sandbox/open-sandbox.ts";
import { startBackground } from "@/lib/server/background.ts";
import { chainWork } from "@/lib/server/background-work.ts";
import { createChainServices } from "@/lib/server/chain-services.ts";
import { readEnv } from "@/lib/server/env.ts";
import { silentProgress } from "@/lib/server/progress.ts";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { createTestService, type TestMarket } from "@/lib/server/testing/test-service.ts";
import { spawnService } from "../../lib/server/testing/spawn-service.ts";
import { settleAccounts } from "./chain-account.ts";
import { createCryptoMarket, type Settle, startLoad } from "./chain-load.ts";

const KILLS = 2;
const START_WITHIN_MS = 60_000;

/** Kills the service and its chain during a burst, restarts it, and compares ledger and chain. */
export async function killService(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-chain-faults-"));
  try {
    const seeding = await openWorld(folder);
    const market = await createCryptoMarket(seeding).finally(seeding.close);
    const asked: string[] = [];
    const answered: string[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      const service = await startService(folder, market);
      const load = startLoad(service.settle, `kill-${kill}`);
      await load.more(150);
      await service.end("SIGKILL");
      const result = await load.end();
      asked.push(...result.asked);
      answered.push(...result.answered);
    }
    const service = await startService(folder, market);
    // Settles whose response was lost have settled, or settle once now.
    for (const id of asked) {
      if (!(await service.settle(id)).success) throw new Error(`${id} was refused after the kill.`);
    }
    await service.end("SIGTERM");
    const world = await openWorld(folder);
    const { planId, subscriber } = market;
    const account = { planId, account: subscriber.address, answered: asked };
    const { landed } = await settleAccounts(world, account).finally(world.close);
    if (landed !== asked.length) throw new Error(`${asked.length} were asked, ${landed} burned.`);
    return `${KILLS} kills, ${answered.length} acknowledged of ${asked.length} asked, each burned once`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The service's parts over a data folder, wired in this process as in the service. */
async function openWorld(folder: string) {
  const env = readEnv({ TURNPIKE_DATA_DIR: folder, LOG_LEVEL: "silent" });
  const sandbox = await openSandbox(env, silentProgress);
  const { secretKey } = sandbox;
  const database = await openDatabase({ dataDir: join(folder, "postgres") });
  const chain = await sandbox.startChain();
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const onChain = createChainServices({
    environment: env.environment,
    database,
    chain,
    secretKeys: [secretKey],
    log,
  });
  const { deployment } = chain;
  const service = createTestService(database, { rails: [onChain.rail], secretKey, deployment });
  onChain.bundler.start();
  const work = startBackground(chainWork(onChain), log);
  return {
    ...service,
    onChain,
    usdc: chain.deployment.usdc ?? "",
    async party({ isFunded = true } = {}) {
      const party = await service.party();
      if (isFunded) await onChain.fundAccount(party.address);
      return party;
    },
    credits: (account: string, planId: string) =>
      onChain.operator.client.readContract({
        address: chain.deployment.credits as Address,
        abi: creditsAbi,
        functionName: "balanceOf",
        args: [getAddress(account), BigInt(planId)],
      }),
    async close() {
      await work.stop();
      await onChain.bundler.stop();
      await chain.stop?.();
      await database.close();
      await sandbox.close();
    },
  };
}

async function startService(folder: string, market: TestMarket) {
  const deadline = Date.now() + START_WITHIN_MS;
  for (;;) {
    const service = await startProcess(folder);
    if (await service.isHealthy())
      return { end: service.end, settle: settleAt(service.url, market) };
    await service.end("SIGKILL");
    // The killed process's resources may take a moment to be freed.
    if (Date.now() > deadline) throw new Error(`The service did not start: ${service.stderr()}`);
  }
}

async function startProcess(folder: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawnService(
    {
      PORT: String(port),
      TURNPIKE_DATA_DIR: folder,
    },
    "pipe",
  );
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const exited = new Promise<void>((done) => child.once("close", () => done()));
  return {
    url,
    stderr: () => stderr,
    async isHealthy() {
      const deadline = Date.now() + START_WITHIN_MS;
      while (child.exitCode === null && Date.now() < deadline) {
        const answer = await fetch(`${url}/api/v1/health`).catch(() => null);
        if (answer?.ok) return true;
        await new Promise((wake) => setTimeout(wake, 100));
      }
      return false;
    },
    async end(signal: NodeJS.Signals) {
      child.kill(signal);
      await exited;
    },
  };
}

const settleAt =
  (url: string, market: TestMarket): Settle =>
  async (agentRequestId) => {
    const answer = await fetch(`${url}/api/v1/x402/settle`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${market.builder.apiKey}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        paymentRequired: requirementOf(market),
        x402AccessToken: market.token,
        agentRequestId,
      }),
    });
    if (!answer.ok) throw new Error(`settle answered ${answer.status}`);
    return answer.json();
  };
