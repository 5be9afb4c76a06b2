import {
  type Address,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  isAddressEqual,
  type Log,
  parseEventLogs,
  type TransactionReceipt,
  toEventSelector,
} from "viem";
import { entryPointAbi } from "../abis.ts";
import type { Deployment } from "../deployment.ts";
import { type RevertReason, readRevertReason } from "../revert-reason.ts";
import type { UserOperation } from "./user-operation.ts";

/** The outcome of one operation in a bundle. */
export type OperationOutcome =
  | { success: true; gasUsed: bigint }
  | { success: false; reason: RevertReason; gasUsed: bigint };

/** Gas a transaction may use on the chains we settle on (EIP-7825), with a margin. */
export const MAX_TRANSACTION_GAS = 16_000_000n;

const BUNDLE_BASE_GAS = 80_000n;
/** Gas for one operation's validation, nonce, bookkeeping and calldata, beyond what its call uses. */
const OPERATION_OVERHEAD_GAS = 170_000n;

/** Calldata of `handleOps`. */
export function encodeHandleOps(operations: UserOperation[], beneficiary: Address): Hex {
  return encodeFunctionData({
    abi: entryPointAbi,
    functionName: "handleOps",
    args: [operations, beneficiary],
  });
}

/** A sufficient gas limit for the bundle: EntryPoint requires each call's full limit when it starts. */
export function bundleGas(operations: { callGas: bigint }[], authorizations: number): bigint {
  const sum = operations.reduce(
    (total, { callGas }) => total + callGas + OPERATION_OVERHEAD_GAS,
    BUNDLE_BASE_GAS,
  );
  return sum + BigInt(authorizations) * 30_000n;
}

/** Reads each operation's outcome from EntryPoint's events, by operation hash. */
export function readOutcomes(
  deployment: Deployment,
  logs: (Log | TransactionReceipt["logs"][number])[],
): Map<Hex, OperationOutcome> {
  const own = logs.filter(
    (log) => log.address.toLowerCase() === deployment.entryPoint.toLowerCase(),
  ) as Log[];
  const reasons = new Map<Hex, Hex>();
  for (const { args } of parseEventLogs({
    abi: entryPointAbi,
    logs: own,
    eventName: "UserOperationRevertReason",
  })) {
    reasons.set(args.userOpHash, args.revertReason);
  }
  const outcomes = new Map<Hex, OperationOutcome>();
  for (const { args } of parseEventLogs({
    abi: entryPointAbi,
    logs: own,
    eventName: "UserOperationEvent",
  })) {
    const gasUsed = args.actualGasUsed;
    outcomes.set(
      args.userOpHash,
      args.success
        ? { success: true, gasUsed }
        : { success: false, reason: readRevertReason(reasons.get(args.userOpHash)), gasUsed },
    );
  }
  return outcomes;
}

const [STARTED, ENDED] = (["BeforeExecution", "UserOperationEvent"] as const).map((name) =>
  toEventSelector(getAbiItem({ abi: entryPointAbi, name })),
);

/** What one operation's calls wrote, in order; undefined where the logs are not of its transaction. */
export function findOwnLogs<Event extends Pick<Log, "address" | "topics">>(
  { entryPoint }: Deployment,
  logs: Event[],
  operation: Hex,
): Event[] | undefined {
  // Others' calls can make EntryPoint write other events in between, but not run operations within one.
  let start = 0;
  for (const [position, { address, topics }] of logs.entries()) {
    if (!isAddressEqual(address, entryPoint)) continue;
    const [kind, hash] = topics;
    if (kind === ENDED && hash === operation) return logs.slice(start, position);
    if (kind === STARTED || kind === ENDED) start = position + 1;
  }
  return undefined;
}
