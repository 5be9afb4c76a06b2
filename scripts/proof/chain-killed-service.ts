import { join } from "node:path";
import { type Address, getAddress } from "viem";
import { creditsAbi } from "@/lib/adapters/chain/abis.ts";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { openSandbox } from "@/lib/sandbox/open-sandbox.ts";
import { startBackground } from "@/lib/server/background.ts";
import { chainWork } from "@/lib/server/background-work.ts";
import { createChainServices } from "@/lib/server/chain/chain-services.ts";
import { readEnv } from "@/lib/server/env.ts";
import { silentProgress } from "@/lib/server/progress.ts";
import { loadSettles } from "@/lib/server/testing/settle-load.ts";
import { startService } from "@/lib/server/testing/spawn-service.ts";
import { runningService } from "@/lib/server/testing/spawned-service.ts";
import { createTestService } from "@/lib/server/testing/test-service.ts";
import { inFolder } from "@/lib/testing/temp-folder.ts";
import { settleAccounts } from "./chain-account.ts";
import { createCryptoMarket } from "./chain-load.ts";

const KILLS = 2;

/** Kills the service and its chain during a burst, restarts it, and compares ledger and chain. */
export async function killService(): Promise<string> {
  return inFolder(async (folder) => {
    const seeding = await openWorld(folder);
    const market = await createCryptoMarket(seeding).finally(seeding.close);
    const settings = { TURNPIKE_DATA_DIR: folder };
    const start = async () => runningService(await startService({ settings }), market);
    const asked: string[] = [];
    let answered = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const service = await start();
      const load = loadSettles(service.settle, `kill-${kill}`);
      await load.more(150);
      await service.kill();
      answered += (await load.end()).answered.size;
      asked.push(...load.asked());
    }
    const service = await start();
    // Settles whose response was lost have settled, or settle once now.
    for (const id of asked) {
      if (!(await service.settle(id)).success) throw new Error(`${id} was refused after the kill.`);
    }
    await service.stop();
    const world = await openWorld(folder);
    const { planId, subscriber } = market;
    const account = { planId, account: subscriber.address, answered: asked };
    const { landed } = await settleAccounts(world, account).finally(world.close);
    if (landed !== asked.length) throw new Error(`${asked.length} were asked, ${landed} burned.`);
    return `${KILLS} kills, ${answered} acknowledged of ${asked.length} asked, each burned once`;
  });
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
