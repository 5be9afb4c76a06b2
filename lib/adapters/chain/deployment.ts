import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Address, getAddress, isAddress } from "viem";
import { z } from "zod";
import type { ChainClient } from "./chain-client.ts";

const address = z
  .string()
  .refine((value) => isAddress(value, { strict: false }), "must be an EVM address")
  .transform((value): Address => getAddress(value));

/** Addresses of one deployment of Turnpike's contracts on one chain. */
export const Deployment = z.object({
  chainId: z.number().int().positive(),
  entryPoint: address,
  delegationManager: address,
  smartAccountFactory: address,
  smartAccountImplementation: address,
  /** Code a session key adopts by EIP-7702 to send user operations. */
  sessionKeyImplementation: address,
  credits: address,
  plans: address,
  sessionLimitsEnforcer: address,
  usdc: address.optional(),
  /** Captures authorizations in batches; missing in files of earlier releases. */
  captures: address.optional(),
  /** Bounds orders by the day, week and month; missing in files of earlier releases. */
  periodLimits: address.optional(),
  /** Who administers the contracts and who may pause orders; missing in files of earlier releases. */
  admin: address.optional(),
  pauser: address.optional(),
  /** A block before the deployment, where event searches start; nodes limit how far back one may search. */
  block: z.number().int().nonnegative().optional(),
});
export type Deployment = z.infer<typeof Deployment>;

/** A chain, and the contracts on it. */
export type OnChain = { client: ChainClient; deployment: Deployment };

const DeploymentsFile = z.record(z.string().regex(/^\d+$/), Deployment);

/**
 * Reads a chain's deployment from a deployments file, or `undefined` when the file does not exist or has no such chain.
 *
 * @throws Error that names the file and the wrong field.
 */
export function readDeployment(path: string, chainId: number): Deployment | undefined {
  return readFile(path)[String(chainId)];
}

/** Adds or replaces a chain's deployment in a deployments file. */
export function writeDeployment(path: string, deployment: Deployment): void {
  const deployments = {
    ...readFile(path),
    [String(deployment.chainId)]: Deployment.parse(deployment),
  };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(deployments, null, 2)}\n`);
  renameSync(`${path}.new`, path);
}

function readFile(path: string): z.infer<typeof DeploymentsFile> {
  if (!existsSync(path)) return {};
  try {
    return DeploymentsFile.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new Error(`The deployments file "${path}" cannot be used: ${reason}`, { cause });
  }
}
