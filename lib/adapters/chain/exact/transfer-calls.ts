import { TRANSFER_WITH_AUTHORIZATION } from "@turnpike/payments/protocol";
import {
  type Address,
  decodeAbiParameters,
  encodeFunctionData,
  type Hex,
  isErc6492Signature,
  size,
  slice,
} from "viem";
import type { ExactPayment } from "@/lib/domain/exact/exact-ports.ts";
import { authorizationAbi } from "../abis.ts";

/** One call of a batch, with the gas it may use. */
export type TransferCall = { target: Address; gas: bigint; data: Hex };

/** A signature of a key is cheap to check; a smart account runs its own code for it. */
const KEY_GAS = 120_000n;
/** What the transfer of an account with code may cost, its own check included. */
export const ACCOUNT_GAS = 350_000n;
/** What a transfer that a key signed uses in a batch. Measured: 57,000. */
export const KEY_TRANSFER_GAS = 60_000n;
/** What creating an account may use. */
const CREATION_GAS = 800_000n;

const TYPES = { TransferWithAuthorization: TRANSFER_WITH_AUTHORIZATION } as const;

/** What the payer signed. */
export const authorizationTypedData = (
  { asset, payer, payTo, value, validAfter, validBefore, nonce }: ExactPayment,
  domain: { name: string; version: string; chainId: number },
) => ({
  domain: { ...domain, verifyingContract: asset as Address },
  types: TYPES,
  primaryType: "TransferWithAuthorization" as const,
  message: {
    from: payer as Address,
    to: payTo as Address,
    value,
    validAfter,
    validBefore,
    nonce: nonce as Hex,
  },
});

/**
 * The calls that capture an authorization. An account that does not exist yet is created first, by the factory its
 * signature names (ERC-6492): the caller holds nothing, so any call is harmless, and its gas is bounded.
 *
 * @param mostGas what the transfer may use; without it a key's gas for a signature as long as a key's.
 */
export function transferCalls(payment: ExactPayment, mostGas?: bigint): TransferCall[] {
  const signature = payment.signature as Hex;
  const { factory, inner } = unwrap(signature) ?? { factory: [], inner: signature };
  const isKey = size(inner) === 65 && factory.length === 0;
  const { payer, payTo, value, validAfter, validBefore, nonce } = payment;
  const data = encodeFunctionData({
    abi: authorizationAbi,
    functionName: "transferWithAuthorization",
    args: [payer as Address, payTo as Address, value, validAfter, validBefore, nonce as Hex, inner],
  });
  const gas = mostGas ?? (isKey ? KEY_GAS : ACCOUNT_GAS);
  return [...factory, { target: payment.asset as Address, gas, data }];
}

/** What the calls of a capture cost the service at most. */
export function gasOf(calls: TransferCall[]): bigint {
  const [only] = calls;
  if (calls.length === 1 && only?.gas === KEY_GAS) return KEY_TRANSFER_GAS;
  return calls.reduce((sum, { gas }) => sum + gas, 0n);
}

/** A signature of an account that may not exist yet (ERC-6492), and what creates it; null for any other, or unreadable bytes. */
export function unwrap(signature: Hex): { factory: TransferCall[]; inner: Hex } | null {
  if (!isErc6492Signature(signature)) return null;
  try {
    const [target, data, inner] = decodeAbiParameters(
      [{ type: "address" }, { type: "bytes" }, { type: "bytes" }],
      slice(signature, 0, -32),
    );
    return { factory: [{ target, gas: CREATION_GAS, data }], inner };
  } catch {
    return null;
  }
}
