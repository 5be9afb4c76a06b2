import { type Address, type Hex, keccak256 } from "viem";
import { privateKeyToAddress, sign } from "viem/accounts";
import { hashAuthorization } from "viem/utils";
import type { Deployment } from "../deployment.ts";

/** A key that signs 32-byte hashes, wherever its private key is kept. */
export type SessionKey = {
  address: Address;
  sign: (hash: Hex) => Promise<{ r: Hex; s: Hex; yParity: number }>;
};

/** Makes a {@link SessionKey} from a private key in memory. */
export function sessionKeyFromPrivateKey(privateKey: Hex): SessionKey {
  return {
    address: privateKeyToAddress(privateKey),
    sign: async (hash) => {
      const { r, s, yParity } = await sign({ hash, privateKey });
      return { r, s, yParity: yParity ?? 0 };
    },
  };
}

export type Authorization = {
  address: Address;
  chainId: number;
  nonce: number;
  r: Hex;
  s: Hex;
  yParity: number;
};

/**
 * The EIP-7702 authorization with which a session key adopts the code that sends user operations. A session key
 * never sends a transaction, so its nonce is zero and the authorization is the same every time.
 */
export async function authorizeSessionKey(options: {
  deployment: Deployment;
  sessionKey: SessionKey;
}): Promise<Authorization> {
  const { chainId, sessionKeyImplementation: address } = options.deployment;
  const unsigned = { address, chainId, nonce: 0 };
  const hash = hashAuthorization(unsigned);
  return { ...unsigned, ...(await options.sessionKey.sign(hash)) };
}

/** The code of an address with a session key's authorization. */
export function delegatedCode(deployment: Deployment): Hex {
  return `0xef0100${deployment.sessionKeyImplementation.slice(2).toLowerCase()}`;
}

/** A deterministic 192-bit nonce key for one piece of work, so that the chain rejects a second attempt. */
export function nonceKeyOf(work: Hex): bigint {
  return BigInt(keccak256(work)) >> 64n;
}
