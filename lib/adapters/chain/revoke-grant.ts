import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbiParameters } from "viem";
import { delegationManagerAbi, enforcerAbi, smartAccountAbi } from "./abis.ts";
import type { Deployment } from "./deployment.ts";
import { grantHash, type SignedGrant } from "./grant.ts";

const BATCH_MODE: Hex = `0x01${"0".repeat(62)}`;
const batchParameters = parseAbiParameters([
  "Execution[] executions",
  "struct Execution { address target; uint256 value; bytes callData; }",
]);

/**
 * Calldata by which an account revokes a grant: at the delegation manager, and in the enforcer, which never takes it
 * back. It goes into a user operation of the account, signed by its owner.
 */
export function revocationCall(options: { deployment: Deployment; grant: SignedGrant }): Hex {
  const { deployment, grant } = options;
  const executions = [
    {
      target: deployment.delegationManager,
      value: 0n,
      callData: encodeFunctionData({
        abi: delegationManagerAbi,
        functionName: "disableDelegation",
        args: [grant],
      }),
    },
    {
      target: deployment.sessionLimitsEnforcer,
      value: 0n,
      callData: encodeFunctionData({
        abi: enforcerAbi,
        functionName: "revoke",
        args: [grantHash(grant)],
      }),
    },
  ];
  return encodeFunctionData({
    abi: smartAccountAbi,
    functionName: "execute",
    args: [BATCH_MODE, encodeAbiParameters(batchParameters, [executions])],
  });
}
