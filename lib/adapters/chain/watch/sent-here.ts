import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  type Hex,
  isAddressEqual,
  slice,
} from "viem";
import type { ChainAsks } from "@/lib/domain/chain-ports.ts";
import { delegationManagerAbi, entryPointAbi } from "../abis.ts";
import { type AccountCall, BATCH_MODE, executionParameters } from "../bundler/user-operation.ts";
import { decodeGrant } from "../grants/grant.ts";
import type { Operator } from "../operator.ts";

type Sent = { transactionHash: Hex; blockNumber: bigint };
/** What caused an event: an account, by a call. */
export type Cause = { account: Address } & Pick<AccountCall, "target" | "callData">;

/**
 * Whether a key of the service, this one or an earlier one while it was in use, made a call: for itself, or by a session
 * key's operation for the account. The ledger is written before anything is sent, so what it does not know of such a call it has
 * forgotten, as after a restore, or someone else has the key. The transaction alone says nothing: a payer's factory, a plan's
 * token and an account's own code run in it too, and make calls of their own.
 */
export async function isSentHere(
  parts: { operator: Operator; asks: Pick<ChainAsks, "listSettlers"> },
  { transactionHash: hash, blockNumber }: Sent,
  cause: Cause,
): Promise<boolean> {
  const { client, deployment } = parts.operator;
  const { from, to, input } = await client.getTransaction({ hash });
  if (!(await isSettler(parts, from, blockNumber))) return false;
  if (isAddressEqual(from, cause.account)) return true;
  const isBundle = to !== null && isAddressEqual(to, deployment.entryPoint);
  return isBundle && callsOf(input).some((call) => isSame(call, cause));
}

async function isSettler(
  { operator: { client, sender }, asks }: Parameters<typeof isSentHere>[0],
  from: Address,
  blockNumber: bigint,
): Promise<boolean> {
  // This process sends with its own key, also where a replica with another one started later.
  if (isAddressEqual(from, sender.address)) return true;
  const settlers = await asks.listSettlers();
  const settler = settlers.find(({ address }) => isAddressEqual(from, address));
  if (!settler?.until) return settler !== undefined;
  const { timestamp } = await client.getBlock({ blockNumber });
  return Number(timestamp) * 1000 < settler.until.getTime();
}

const isSame = (a: Cause, b: Cause): boolean =>
  isAddressEqual(a.account, b.account) &&
  isAddressEqual(a.target, b.target) &&
  a.callData === b.callData;

/** The calls that the operations of a bundle make for accounts under their grants. */
const callsOf = (bundle: Hex): Cause[] =>
  unlessUnreadable(() => {
    const { functionName, args } = decodeFunctionData({ abi: entryPointAbi, data: bundle });
    if (functionName !== "handleOps") return [];
    // An operation that an owner signed is of no grant.
    return args[0].flatMap(({ callData }) => unlessUnreadable(() => redemptionsOf(callData)));
  });

/** A thief of the key can send bytes that mean nothing. */
function unlessUnreadable<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** What `redeemGrant` encoded. */
function redemptionsOf(data: Hex): Cause[] {
  const { functionName, args } = decodeFunctionData({ abi: delegationManagerAbi, data });
  if (functionName !== "redeemDelegations") return [];
  const [grants, modes, executions] = args;
  return executions.flatMap((execution, index) => {
    const { delegator: account } = decodeGrant(grants[index] ?? "0x");
    const calls =
      modes[index] === BATCH_MODE
        ? decodeAbiParameters(executionParameters, execution)[0]
        : [{ target: slice(execution, 0, 20), callData: slice(execution, 52) }];
    return calls.map(({ target, callData }) => ({ account, target, callData }));
  });
}
