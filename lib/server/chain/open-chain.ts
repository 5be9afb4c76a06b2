import "server-only";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { SendingJournal } from "@/lib/adapters/chain/bundler/transaction-sender.ts";
import { type Deployment, readDeployment } from "@/lib/adapters/chain/deployment.ts";
import { knownUsdc } from "@/lib/adapters/chain/deployment-plan.ts";
import type { Env } from "../env.ts";
import type { Progress } from "../progress.ts";

/** A chain that answers and has the contracts deployed, with the key that pays for gas. */
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
    // Files of earlier releases name no USDC in live.
    const usdc = deployment.usdc ?? knownUsdc(chainId);
    return { rpcUrl, deployment: { ...deployment, ...(usdc && { usdc }) }, settlerPrivateKey };
  });
}
