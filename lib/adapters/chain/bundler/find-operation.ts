import type { Address, Hex } from "viem";
import { entryPointAbi } from "../abis.ts";
import { type BlockRange, findNewest } from "../block-ranges.ts";
import type { OnChain } from "../deployment.ts";
import { type RevertReason, readRevertReason } from "../revert-reason.ts";

/** An operation found in a block, and its outcome. `hash` tells it from others under the same nonce. */
export type IncludedOperation = { hash: Hex; transaction: Hex; block: bigint } & (
  | { success: true }
  | { success: false; reason: RevertReason }
);

/** An operation's place: the nonces of its session key, and its own key among them. */
type OperationKey = OnChain & {
  sessionKey: Address;
  nonceKey: bigint;
  /** The block to read the nonce at, instead of the latest one of the node that answers. */
  blockNumber?: bigint;
};

/**
 * Whether an operation's nonce is unused, so that no block up to then has it.
 *
 * @throws when the node does not know the block.
 */
export async function isOperationUnused(options: OperationKey): Promise<boolean> {
  const { client, deployment, sessionKey, nonceKey, blockNumber } = options;
  const next = await client.readContract({
    address: deployment.entryPoint,
    abi: entryPointAbi,
    functionName: "getNonce",
    args: [sessionKey, nonceKey],
    ...(blockNumber === undefined ? {} : { blockNumber }),
  });
  return next === nonceKey << 64n;
}

/**
 * Finds an operation by the key that used its nonce. The nonce on chain proves inclusion, regardless of the sender
 * or its fate; `undefined` means it is in no block.
 *
 * @param sinceBlock the first block that its event may be in.
 */
export async function findOperation(
  options: OperationKey & { sinceBlock?: bigint },
): Promise<IncludedOperation | undefined> {
  const { client, deployment, sessionKey, nonceKey, sinceBlock = 0n } = options;
  // One request, so one node: what used the nonce is in a block up to its head.
  const [isUnused, head] = await Promise.all([isOperationUnused(options), client.getBlockNumber()]);
  if (isUnused) return undefined;
  const unused = nonceKey << 64n;
  const common = { address: deployment.entryPoint, args: { sender: sessionKey } } as const;
  const used = { ...common, event: eventOf("UserOperationEvent"), strict: true } as const;
  const look = async (range: BlockRange) => {
    const events = await client.getLogs({ ...used, ...range });
    return events.find(({ args }) => args.nonce === unused);
  };
  const event = await findNewest(client, sinceBlock, look, head);
  if (!event)
    throw new Error(
      `Operation ${nonceKey} of ${sessionKey} is included, but not since block ${sinceBlock}.`,
    );
  const { transactionHash: transaction, blockNumber: block } = event;
  const where = { hash: event.args.userOpHash, transaction, block };
  if (event.args.success) return { ...where, success: true };
  const asked = { ...common, event: eventOf("UserOperationRevertReason"), strict: true } as const;
  const reverts = await client.getLogs({ ...asked, fromBlock: block, toBlock: block });
  const revert = reverts.find(({ args }) => args.userOpHash === event.args.userOpHash);
  return { ...where, success: false, reason: readRevertReason(revert?.args.revertReason) };
}

type EntryPointEvent = Extract<(typeof entryPointAbi)[number], { type: "event" }>;

function eventOf<Name extends EntryPointEvent["name"]>(
  name: Name,
): Extract<EntryPointEvent, { name: Name }> {
  const event = entryPointAbi.find((item) => item.type === "event" && item.name === name);
  return event as Extract<EntryPointEvent, { name: Name }>;
}
