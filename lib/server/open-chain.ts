import "server-only";
import { join } from "node:path";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { SendingJournal } from "@/lib/adapters/chain/bundler/transaction-sender.ts";
import { deployContracts } from "@/lib/adapters/chain/deploy.ts";
import { type Deployment, readDeployment } from "@/lib/adapters/chain/deployment.ts";
import { type EmbeddedChain, startEmbeddedChain } from "@/lib/sandbox/chain/embedded-chain.ts";
import type { Env } from "./env.ts";
import type { Progress } from "./progress.ts";

/** A chain that answers and has the contracts on it, and the key that pays for what is sent there. */
export type OpenChain = {
  rpcUrl: string;
  deployment: Deployment;
  settlerPrivateKey: Hex;
  journal?: SendingJournal;
  stop?: () => Promise<void>;
};

/** Starts the sandbox's chain and deploys to it, or finds the one the settings name. */
export async function openChain(
  env: Env,
  sandboxKey: string | undefined,
  progress: Progress,
): Promise<OpenChain> {
  if (env.chain) return openOutsideChain(env.chain, progress);
  const settlerPrivateKey = `0x${sandboxKey}` as Hex;
  let embedded: EmbeddedChain | undefined;
  try {
    return await progress.step("chain", "embedded, id 84532", async () => {
      const chain = await startEmbeddedChain({ dataDir: join(env.dataDir, "chain") });
      embedded = chain;
      const { rpcUrl, journal } = chain;
      const deployment = await deployContracts({
        rpcUrl,
        settlerPrivateKey,
        sandbox: true,
        journal,
      });
      return { rpcUrl, deployment, settlerPrivateKey, journal, stop: () => chain.stop() };
    });
  } catch (cause) {
    await embedded?.stop();
    throw cause;
  }
}

function openOutsideChain(
  chain: NonNullable<Env["chain"]>,
  progress: Progress,
): Promise<OpenChain> {
  const { rpcUrl, chainId, deploymentsFile } = chain;
  return progress.step("chain", `id ${chainId}`, async () => {
    const deployment = readDeployment(deploymentsFile, chainId);
    if (!deployment) {
      throw new Error(
        `${deploymentsFile} has no contracts for chain ${chainId}. Deploy them first: npm run chain:deploy.`,
      );
    }
    const settlerPrivateKey = `0x${chain.settlerPrivateKey.replace(/^0x/, "")}` as Hex;
    // The key is used later; a malformed one should end the start, not the first settlement.
    privateKeyToAccount(settlerPrivateKey);
    return { rpcUrl, deployment, settlerPrivateKey };
  });
}
