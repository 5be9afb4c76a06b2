import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  hashTypedData,
  hexToBytes,
  isAddressEqual,
  isErc6492Signature,
  pad,
  parseAbi,
  size,
  slice,
} from "viem";
import { verifyTypedData } from "viem/actions";
import type {
  Captured,
  ExactChain,
  ExactFault,
  ExactPayer,
  ExactPayment,
} from "@/lib/domain/exact/exact-ports.ts";
import { authorizationAbi, tokenAbi } from "../abis.ts";
import { findNewest } from "../block-ranges.ts";
import type { ChainClient } from "../chain-client.ts";
import { readKeySignature } from "../grants/key-signature.ts";
import type { Operator } from "../operator.ts";
import { ORDER_GAS } from "../order-budget.ts";
import { findRevertData } from "../revert-reason.ts";
import { requireSoundNode } from "../sound-node.ts";
import { type Capture, createCaptureQueue } from "./capture-queue.ts";
import { hasTransfer } from "./find-transfer.ts";
import { ACCOUNT_GAS, authorizationTypedData, gasOf, KEY_TRANSFER_GAS } from "./transfer-calls.ts";

/** An authorization must live this long after verify, so that work and capture fit in. In seconds. */
const MARGIN_SECS = 6n;

/** The signer's address behind a signature of a key, or null. */
type Recover = (digest: Uint8Array, signature: Uint8Array) => string | null;

/**
 * Checks and captures EIP-3009 authorizations. What the chain says about the nonce decides: an authorization that is used
 * was captured when its transfer is in the transaction that used it, no matter who sent that transaction.
 */
export function createExactChain(
  operator: Operator,
  options: {
    network: string;
    /** The contract that captures in batches; files of earlier releases name none. */
    captures: Address | undefined;
    asset: Address;
    /** The lowest price of an order, in cents; a transfer's follows from its gas. */
    floorCents: bigint;
    recover: Recover;
    /** A clock that replicas share: one machine's may be wrong. */
    now: () => Promise<Date>;
  },
): Omit<ExactChain, keyof ExactPayer> {
  const { network, captures, asset, floorCents, recover } = options;
  const { client } = operator;
  const floorOf = (gas: bigint) => (floorCents * 10_000n * gas) / BigInt(ORDER_GAS);
  const queue = captures && createCaptureQueue(operator, captures);
  const domains = new Map<string, Promise<{ name: string; version: string }>>();
  const now = share(options.now);
  const latestBlock = share(() =>
    client.getBlock({ blockTag: "latest", includeTransactions: false }),
  );

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

  return {
    network,
    takesPayments: queue !== undefined,
    asset: getAddress(asset),
    floor: floorOf(KEY_TRANSFER_GAS),
    async check(payment) {
      const token = payment.asset as Address;
      const [{ isUsed, balance }, block, domain, at] = await Promise.all([
        stateOf(client, payment),
        latestBlock(),
        domainOf(token),
        now(),
      ]);
      const chainId = client.chain?.id ?? 0;
      const typedData = authorizationTypedData(payment, { ...domain, chainId });
      const isSigned = await isSignedBy({ client, recover }, payment, typedData);
      // An idle chain's newest block may be old, and the next one is as new as its transaction.
      const wall = BigInt(Math.floor(at.getTime() / 1000));
      const time = wall > block.timestamp ? wall : block.timestamp;
      const fault: [boolean, ExactFault][] = [
        [!isSigned, "authorization_signature"],
        [isSigned && payment.value < floorOf(gasOf(payment)), "amount_too_small"],
        [isUsed, "authorization_used"],
        [time <= payment.validAfter, "authorization_early"],
        [time + MARGIN_SECS >= payment.validBefore, "authorization_expired"],
        [balance < payment.value, "insufficient_funds"],
      ];
      return { fault: fault.find(([is]) => is)?.[1] ?? null, balance, block: block.number };
    },
    async capture(payment) {
      const receipt = await queue?.add((await forToken(client, payment)) satisfies Capture);
      if (receipt && hasTransfer(receipt, payment))
        return { status: "paid", reference: receipt.transactionHash };
      const included = receipt?.blockNumber ?? payment.sinceBlock;
      const found = await findOutcome(client, payment, { latestBlock, included });
      if (found?.status !== "paid") await requireSoundNode(operator);
      if (found) return found;
      if (!queue) throw new Error("This deployment has no contract that captures payments.");
      return FAILED;
    },
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
  if (isErc6492Signature(given)) {
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

/** The payment with its key's signature as the token reads it; an account's code may mean another thing by the same bytes. */
async function forToken(client: ChainClient, payment: ExactPayment): Promise<ExactPayment> {
  const signature = readKeySignature(payment.signature) ?? payment.signature;
  const isRead = signature === payment.signature.toLowerCase();
  if (isRead || (await client.getCode({ address: payment.payer as Address }))) return payment;
  return { ...payment, signature };
}

type Sought = ExactPayment & { sinceBlock: bigint };

type LatestBlock = () => Promise<{ number: bigint; timestamp: bigint }>;

/** Those who ask while an answer is under way get the same one. */
function share<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  };
}

async function stateOf(
  client: ChainClient,
  { asset: token, payer, nonce }: ExactPayment,
  blockNumber?: bigint,
) {
  const at = { address: token as Address, ...(blockNumber !== undefined && { blockNumber }) };
  const [isUsed, balance] = await Promise.all([
    client.readContract({
      ...at,
      abi: authorizationAbi,
      functionName: "authorizationState",
      args: [payer as Address, nonce as Hex],
    }),
    client.readContract({
      ...at,
      abi: tokenAbi,
      functionName: "balanceOf",
      args: [payer as Address],
    }),
  ]);
  return { isUsed, balance };
}

/**
 * The transaction that moved the money; null where the authorization was used otherwise or canceled. Undefined while the node
 * shows neither: it may have the state of a block, and its events later.
 */
export async function findTransfer(
  client: ChainClient,
  payment: Sought,
): Promise<Hex | null | undefined> {
  const end = await findNewest(client, payment.sinceBlock, async (range) => {
    const ask = (eventName: "AuthorizationUsed" | "AuthorizationCanceled") =>
      client.getContractEvents({
        address: payment.asset as Address,
        abi: authorizationAbi,
        eventName,
        args: { authorizer: payment.payer as Address, nonce: payment.nonce as Hex },
        ...range,
      });
    const [[used], [canceled]] = await Promise.all([
      ask("AuthorizationUsed"),
      ask("AuthorizationCanceled"),
    ]);
    return used ?? canceled;
  });
  if (!end) return undefined;
  const receipt = await client.getTransactionReceipt({ hash: end.transactionHash });
  return hasTransfer(receipt, payment) ? end.transactionHash : null;
}

/**
 * The outcome as the chain has it in one block, from `included` on; null while the authorization is unused
 * and can still be captured.
 *
 * @throws Error when the node does not know that block or what used the authorization: then the outcome is unknown.
 */
async function findOutcome(
  client: ChainClient,
  payment: Sought,
  { latestBlock, included }: { latestBlock: LatestBlock; included: bigint },
): Promise<Captured | null> {
  const block = await latestBlock();
  if (block.number < included) throw new Error(`The node is behind block ${included}.`);
  const { isUsed, balance } = await stateOf(client, payment, block.number);
  if (isUsed) {
    const reference = await findTransfer(client, payment);
    if (reference === undefined) {
      throw new Error(`Authorization ${payment.id} is used, and the node does not show by what.`);
    }
    return reference ? { status: "paid", reference } : refuse("authorization_used");
  }
  if (block.timestamp >= payment.validBefore) return refuse("authorization_expired");
  return balance < payment.value ? refuse("insufficient_funds") : null;
}

const MESSAGES: Record<ExactFault, string> = {
  authorization_signature: "The authorization's signature is not its payer's. Nothing was charged.",
  authorization_early: "The authorization is not valid yet. Nothing was charged.",
  authorization_expired: "The authorization expired before it was captured. Nothing was charged.",
  authorization_used: "The authorization was used for another transfer, or canceled.",
  insufficient_funds: "The wallet no longer has the amount. Nothing was charged.",
  amount_too_small: "The amount is below the service's minimum. Nothing was charged.",
};

const FAILED: Captured = {
  status: "refused",
  code: "capture_failed",
  message: "The token did not accept the authorization. Nothing was charged.",
};

const refuse = (code: ExactFault): Captured => ({
  status: "refused",
  code,
  message: MESSAGES[code],
});
