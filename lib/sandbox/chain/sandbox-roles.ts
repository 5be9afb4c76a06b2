import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { Deployment } from "@/lib/adapters/chain/deployment.ts";
import { type ChainRoles, planDeployment } from "@/lib/adapters/chain/deployment-plan.ts";
import { deriveKey } from "@/lib/adapters/crypto/sealing.ts";
import { EMBEDDED_CHAIN_ID } from "./anvil-process.ts";

type Secrets = { secretKey: Uint8Array; settlerPrivateKey: Hex };

/** The key that administers the sandbox's contracts and pauses orders there. It is not the settler's. */
export const adminKeyOf = (secretKey: Uint8Array): Hex =>
  `0x${Buffer.from(deriveKey(secretKey, "chain/admin")).toString("hex")}`;

/** Where a sandbox with these secrets has its contracts; computed without its chain. */
export function sandboxDeployment({ secretKey, settlerPrivateKey }: Secrets): Deployment {
  const admin = privateKeyToAddress(adminKeyOf(secretKey));
  const operator = privateKeyToAddress(settlerPrivateKey);
  const roles: ChainRoles = { admin, pauser: admin, operator };
  const chainId = EMBEDDED_CHAIN_ID;
  return planDeployment({ chainId, roles, sandbox: true, framework: "own" }).deployment;
}
