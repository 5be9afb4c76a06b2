import {
  type Address,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  hexToBytes,
  isAddressEqual,
  pad,
  parseAbi,
  size,
  slice,
} from "viem";
import { verifyTypedData } from "viem/actions";
import type { ExactPayment } from "@/lib/domain/exact/exact-ports.ts";
import { authorizationAbi } from "../abis.ts";
import type { ChainClient } from "../chain-client.ts";
import { readKeySignature } from "../grants/key-signature.ts";
import { findRevertData } from "../revert-reason.ts";
import { ACCOUNT_GAS, authorizationTypedData, unwrap } from "./transfer-calls.ts";

/** The signer's address behind a signature of a key, or null. */
export type Recover = (digest: Uint8Array, signature: Uint8Array) => string | null;

/** Asks whether a payment's signature is its payer's, also of a payment that cannot be captured for another reason. */
export function createSignatureCheck(client: ChainClient, recover: Recover) {
  const domains = new Map<string, Promise<{ name: string; version: string }>>();

  function domainOf(token: Address) {
    const read = async () => {
      const ask = (functionName: "name" | "version") =>
        client.readContract({ address: token, abi: authorizationAbi, functionName });
      const [name, version] = await Promise.all([ask("name"), ask("version")]);
      return { name, version };
    };
    const known = domains.get(token) ?? read();
    domains.set(token, known);
    known.catch(() => domains.delete(token));
    return known;
  }

  return async (payment: ExactPayment): Promise<boolean> => {
    const domain = await domainOf(payment.asset as Address);
    const chainId = client.chain?.id ?? 0;
    const typedData = authorizationTypedData(payment, { ...domain, chainId });
    return isSignedBy({ client, recover }, payment, typedData);
  };
}

/**
 * Checked as the token does: an account's code decides alone, and who has none signs by a key. viem would take the key's
 * signature where the code refuses it. Only an account that is still to be created is left to viem.
 */
async function isSignedBy(
  { client, recover }: { client: ChainClient; recover: Recover },
  { payer, asset, signature }: ExactPayment,
  typedData: ReturnType<typeof authorizationTypedData>,
): Promise<boolean> {
  const [address, given] = [payer as Address, signature as Hex];
  if (unwrap(given)) {
    return verifyTypedData(client, { address, signature: given, ...typedData }).catch((cause) => {
      if (/signature|length|hex/i.test(String(cause?.name))) return false;
      throw cause;
    });
  }
  const hash = hashTypedData(typedData);
  if (await client.getCode({ address })) {
    return isTakenByCode(client, { from: asset as Address, to: address }, [hash, given]);
  }
  const known = readKeySignature(given);
  const signer = known && recover(hexToBytes(hash), hexToBytes(known));
  return signer !== null && isAddressEqual(signer as Address, address);
}

/** Whether the account's code takes the signature (ERC-1271) when the token asks it. Throws where the node does not say. */
async function isTakenByCode(
  client: ChainClient,
  { from, to }: { from: Address; to: Address },
  args: [Hex, Hex],
): Promise<boolean> {
  const call = encodeFunctionData({ abi: erc1271Abi, functionName: "isValidSignature", args });
  const asked = { account: from, to, data: call, gas: ACCOUNT_GAS };
  const { data = "0x" } = await client.call(asked).catch((cause) => {
    if (FAILED_TO_RUN.test(cause.details) || findRevertData(cause)) return { data: "0x" } as const;
    throw cause;
  });
  return size(data) >= 32 && slice(data, 0, 32) === TAKEN;
}

const erc1271Abi = parseAbi(["function isValidSignature(bytes32, bytes) view returns (bytes4)"]);
const TAKEN = pad("0x1626ba7e", { dir: "right" });
/** What nodes say of code that ran and failed, and not of themselves. */
const FAILED_TO_RUN = /revert|opcode|out of gas|stack|invalid jump|EVM error|aborted/i;
