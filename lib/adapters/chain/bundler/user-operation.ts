import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  hashTypedData,
  keccak256,
  parseAbiParameters,
  serializeSignature,
  toHex,
  zeroHash,
} from "viem";
import { creditsAbi, delegationManagerAbi } from "../abis.ts";
import type { Deployment } from "../deployment.ts";
import { encodeGrant, type SignedGrant } from "../grants/grant.ts";
import type { SessionKey } from "../grants/session-key.ts";

/** A user operation as EntryPoint 0.7 takes it. */
export type UserOperation = {
  sender: Address;
  nonce: bigint;
  initCode: Hex;
  callData: Hex;
  accountGasLimits: Hex;
  preVerificationGas: bigint;
  gasFees: Hex;
  paymasterAndData: Hex;
  signature: Hex;
};

/** One call made by the account that signed a grant. */
export type AccountCall = { target: Address; value: bigint; callData: Hex };

const VERIFICATION_GAS = 120_000n;
/** The mode of several calls, all or none. */
export const BATCH_MODE: Hex = `0x01${"0".repeat(62)}`;
export const executionParameters = parseAbiParameters([
  "Execution[] executions",
  "struct Execution { address target; uint256 value; bytes callData; }",
]);
export const encodeBatch = (calls: readonly AccountCall[]): Hex =>
  encodeAbiParameters(executionParameters, [calls]);
const packedParameters = parseAbiParameters(
  "address, uint256, bytes32, bytes32, bytes32, uint256, bytes32, bytes32",
);
const hashParameters = parseAbiParameters("bytes32, address, uint256");
const typedDataTypes = {
  PackedUserOperation: [
    { name: "sender", type: "address" },
    { name: "nonce", type: "uint256" },
    { name: "initCode", type: "bytes" },
    { name: "callData", type: "bytes" },
    { name: "accountGasLimits", type: "bytes32" },
    { name: "preVerificationGas", type: "uint256" },
    { name: "gasFees", type: "bytes32" },
    { name: "paymasterAndData", type: "bytes" },
    { name: "entryPoint", type: "address" },
  ],
} as const;

/** Delegation manager calldata with which a session key makes the account's calls, all or none. */
export function redeemGrant(grant: SignedGrant, calls: AccountCall[]): Hex {
  const [first] = calls;
  if (!first) throw new Error("A redemption needs at least one call.");
  const [mode, execution] =
    calls.length === 1
      ? [
          zeroHash,
          encodePacked(
            ["address", "uint256", "bytes"],
            [first.target, first.value, first.callData],
          ),
        ]
      : [BATCH_MODE, encodeBatch(calls)];
  return encodeFunctionData({
    abi: delegationManagerAbi,
    functionName: "redeemDelegations",
    args: [[encodeGrant(grant)], [mode], [execution]],
  });
}

/** The call that redeems `count` calls of a plan for `amount` credits. */
export function burnCall(
  deployment: Deployment,
  burn: { holder: Address; planId: bigint; amount: bigint; count: bigint; root: Hex },
): AccountCall {
  return {
    target: deployment.credits,
    value: 0n,
    callData: encodeFunctionData({
      abi: creditsAbi,
      functionName: "burn",
      args: [burn.holder, burn.planId, burn.amount, burn.count, burn.root],
    }),
  };
}

/**
 * Builds and signs the user operation with which a session key makes calls under a grant. It pays no fee: the sender of
 * `handleOps` pays the gas. `nonceKey` is used once, so the sequence number is always zero.
 */
export async function signUserOperation(options: {
  deployment: Deployment;
  grant: SignedGrant;
  sessionKey: SessionKey;
  calls: AccountCall[];
  nonceKey: bigint;
  callGas: bigint;
}): Promise<UserOperation> {
  const { deployment, grant, sessionKey, calls, nonceKey, callGas } = options;
  const unsigned = createUserOperation({
    sender: sessionKey.address,
    callData: redeemGrant(grant, calls),
    nonceKey,
    callGas,
  });
  const hash = hashTypedData(
    userOperationTypedData(deployment, unsigned, "EIP7702StatelessDeleGator"),
  );
  return { ...unsigned, signature: serializeSignature(await sessionKey.sign(hash)) };
}

/** A user operation without its signature. */
export type UnsignedUserOperation = Omit<UserOperation, "signature">;

/** Lays out a user operation that pays no fee. */
export function createUserOperation(options: {
  sender: Address;
  callData: Hex;
  nonceKey: bigint;
  callGas: bigint;
}): UnsignedUserOperation {
  return {
    sender: options.sender,
    nonce: options.nonceKey << 64n,
    initCode: "0x",
    callData: options.callData,
    accountGasLimits: concat([
      toHex(VERIFICATION_GAS, { size: 16 }),
      toHex(options.callGas, { size: 16 }),
    ]),
    preVerificationGas: 0n,
    gasFees: zeroHash,
    paymasterAndData: "0x",
  };
}

/** A user operation as EIP-712 typed data. `accountName` is the EIP-712 name in the sending account's code. */
export function userOperationTypedData(
  deployment: Deployment,
  operation: UnsignedUserOperation,
  accountName: "EIP7702StatelessDeleGator" | "HybridDeleGator",
) {
  return {
    domain: {
      name: accountName,
      version: "1",
      chainId: deployment.chainId,
      verifyingContract: operation.sender,
    },
    types: typedDataTypes,
    primaryType: "PackedUserOperation",
    message: { ...operation, entryPoint: deployment.entryPoint },
  } as const;
}

/** The hash by which EntryPoint's events name an operation. */
export function userOperationHash(deployment: Deployment, operation: UserOperation): Hex {
  const packed = encodeAbiParameters(packedParameters, [
    operation.sender,
    operation.nonce,
    keccak256(operation.initCode),
    keccak256(operation.callData),
    operation.accountGasLimits,
    operation.preVerificationGas,
    operation.gasFees,
    keccak256(operation.paymasterAndData),
  ]);
  return keccak256(
    encodeAbiParameters(hashParameters, [
      keccak256(packed),
      deployment.entryPoint,
      BigInt(deployment.chainId),
    ]),
  );
}
