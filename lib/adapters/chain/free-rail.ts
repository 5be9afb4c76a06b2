import { zeroAddress } from "viem";
import type { Rail } from "@/lib/domain/rails/rail.ts";
import { createCryptoTerms } from "./crypto-terms.ts";
import type { Deployment } from "./deployment.ts";
import { planDeployment } from "./deployment-plan.ts";

/**
 * The contracts that a deployment without a chain names in its tokens and account addresses. They are never deployed;
 * the accounts have the addresses that they would have on any chain with the delegation framework.
 */
export function deploymentWithoutChain(chainId: number): Deployment {
  const roles = { admin: zeroAddress, pauser: zeroAddress, operator: zeroAddress };
  return planDeployment({ chainId, roles, sandbox: false, framework: "canonical" }).deployment;
}

/** Takes the place of `createCryptoRail` where nothing is paid on a chain: it knows free plans only. */
export function createFreeRail(network: string): Rail {
  const terms = createCryptoTerms({ network, stableTokens: new Map() });
  return {
    ...terms,
    takes: (price) => terms.takes(price) && price.amounts.every((amount) => amount === 0n),
    charge: async () => ({
      status: "refused",
      code: "rail_unavailable",
      message: "This deployment doesn't accept payments on chain.",
    }),
    signers: () => ({ pattern: "eip155:*", addresses: [] }),
    isHealthy: async () => true,
  };
}
