import { zeroAddress } from "viem";
import { createLeftOutRail, type Rail } from "@/lib/domain/rails/rail.ts";
import { createCryptoTerms } from "./crypto-terms.ts";
import { type Deployment, readDeployment } from "./deployment.ts";
import { planDeployment } from "./deployment-plan.ts";

type Known = { deploymentsFile: string; plans?: string | undefined };

/**
 * The contracts that a deployment without a chain names in its tokens and account addresses: those of the deployments file
 * where the database was made for its `plans`, because its chain is left out only now. Others are never deployed; the accounts
 * have the addresses that they would have on any chain with the delegation framework.
 */
export function deploymentWithoutChain(chainId: number, known?: Known): Deployment {
  const named = known?.plans && readDeployment(known.deploymentsFile, chainId);
  if (named && named.plans.toLowerCase() === known.plans?.toLowerCase()) return named;
  const roles = { admin: zeroAddress, pauser: zeroAddress, operator: zeroAddress };
  return planDeployment({ chainId, roles, sandbox: false, framework: "canonical" }).deployment;
}

/** Take the place of `createCryptoRail` where nothing is paid on a chain: one sells free plans, the other keeps what was sold. */
export function createRailsWithoutChain(network: string): [Rail, Rail] {
  const terms = createCryptoTerms({ network, stableTokens: new Map() });
  const { isLeftOut: _, ...free } = createLeftOutRail({
    ...terms,
    takes: (price) => terms.takes(price) && price.amounts.every((amount) => amount === 0n),
  });
  // What is burned meanwhile is mirrored once there is a chain again.
  return [free, { ...createLeftOutRail(terms), mirror: async () => null }];
}
