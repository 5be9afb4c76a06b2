import "server-only";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { SendingJournal } from "@/lib/adapters/chain/bundler/transaction-sender.ts";
import { createChainClient } from "@/lib/adapters/chain/chain-client.ts";
import { type Deployment, readDeployment } from "@/lib/adapters/chain/deployment.ts";
import { knownUsdc } from "@/lib/adapters/chain/deployment-plan.ts";
import { requireChain, WrongChain } from "@/lib/adapters/chain/sound-node.ts";
import type { Env } from "../env.ts";
import type { Progress } from "../progress.ts";

const CHAIN_ID_TIMEOUT_MS = 2_000;

/** A chain that has the contracts deployed, with the key that pays for gas. */
export type OpenChain = {
  rpcUrl: string;
  deployment: Deployment;
  settlerPrivateKey: Hex;
  /** In the sandbox: administers the contracts, so that the failure lab can pause orders. */
  adminPrivateKey?: Hex;
  journal?: SendingJournal;
  stop?: () => Promise<void>;
};

/** Connects to the chain named in the settings. */
export function openChain(
  { rpcUrl, chainId, deploymentsFile, settlerPrivateKey: key }: NonNullable<Env["chain"]>,
  progress: Progress,
): Promise<OpenChain> {
  return progress.step("chain", `id ${chainId}`, async () => {
    const deployment = readDeployment(deploymentsFile, chainId);
    if (!deployment) {
      throw new Error(
        `${deploymentsFile} has no contracts for chain ${chainId}. Deploy them first: npm run chain:deploy.`,
      );
    }
    const settlerPrivateKey = `0x${key.replace(/^0x/, "")}` as Hex;
    // Reject a malformed key at start, not at the first settlement.
    privateKeyToAccount(settlerPrivateKey);
    await refuseOtherChain(rpcUrl, deployment);
    // Files of earlier releases name no USDC in live.
    const usdc = deployment.usdc ?? knownUsdc(chainId);
    return { rpcUrl, deployment: { ...deployment, ...(usdc && { usdc }) }, settlerPrivateKey };
  });
}

/** A node that is away stops no start: the chain is degraded until it answers. */
async function refuseOtherChain(rpcUrl: string, deployment: Deployment): Promise<void> {
  const { chainId } = deployment;
  const client = createChainClient({ rpcUrl, chainId, timeoutMs: CHAIN_ID_TIMEOUT_MS });
  await requireChain({ client, deployment }).catch((cause) => {
    if (cause instanceof WrongChain) {
      throw new Error(`${cause.message} Correct CHAIN_RPC_URL or CHAIN_ID.`, { cause });
    }
  });
}
