import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  zeroHash,
} from "viem";
import { factoryAbi, smartAccountAbi } from "./abis.ts";
import { bytecodes } from "./artifacts.ts";
import type { Deployment } from "./deployment.ts";

/** A subscriber's account on chain: its first owner and its address. */
export type SmartAccount = { address: Address; owner: Address; salt: Hex };

/**
 * Address of the smart account of an owner, computed without a chain; the account need not exist yet. This is the
 * wallet address of tokens, balances and receipts (design 6.2).
 *
 * @param salt distinguishes several accounts of one owner; zero by default.
 * @example const account = smartAccount({ deployment, owner: wallet.address });
 */
export function smartAccount(options: {
  deployment: Deployment;
  owner: Address;
  salt?: Hex;
}): SmartAccount {
  const { deployment, owner, salt = zeroHash } = options;
  const address = getContractAddress({
    opcode: "CREATE2",
    from: deployment.smartAccountFactory,
    salt,
    bytecode: proxyCode(deployment, owner),
  });
  return { address, owner, salt };
}

/** The call that creates a smart account. The result is the same whichever address sends it. */
export function smartAccountCreation(options: { deployment: Deployment; account: SmartAccount }): {
  to: Address;
  data: Hex;
} {
  const { deployment, account } = options;
  return {
    to: deployment.smartAccountFactory,
    data: encodeFunctionData({
      abi: factoryAbi,
      functionName: "deploy",
      args: [proxyCode(deployment, account.owner), account.salt],
    }),
  };
}

function proxyCode(deployment: Deployment, owner: Address): Hex {
  const initialize = encodeFunctionData({
    abi: smartAccountAbi,
    functionName: "initialize",
    args: [owner, [], [], []],
  });
  const argumentsOfProxy = encodeAbiParameters(
    [{ type: "address" }, { type: "bytes" }],
    [deployment.smartAccountImplementation, initialize],
  );
  return concat([bytecodes.proxy, argumentsOfProxy]);
}
