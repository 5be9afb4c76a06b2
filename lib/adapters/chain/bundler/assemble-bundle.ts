import type { Address, Hex } from "viem";
import type { Deployment, OnChain } from "../deployment.ts";
import { KeyUnreadable } from "../grants/owner-keys.ts";
import {
  type Authorization,
  authorizeSessionKey,
  nonceKeyOf,
  type SessionKey,
} from "../grants/session-key.ts";
import type { CodeMemory } from "../prepare-accounts.ts";
import { withoutCode } from "../prepare-accounts.ts";
import type { RevertReason } from "../revert-reason.ts";
import { type BurnGroup, splitBurnGroup } from "./burn-groups.ts";
import { MAX_TRANSACTION_GAS } from "./handle-ops.ts";
import { simulateBundle } from "./simulate-bundle.ts";
import {
  burnCall,
  signUserOperation,
  type UserOperation,
  userOperationHash,
} from "./user-operation.ts";

/** A group with the operation that burns its credits. */
export type SignedBurn = {
  group: BurnGroup;
  operation: UserOperation;
  hash: Hex;
  nonceKey: bigint;
};

export type AssembledBundle = {
  burns: SignedBurn[];
  authorizations: Authorization[];
  gas: bigint;
  /** Groups of one settlement each that the chain would reject. */
  rejected: { group: BurnGroup; reason: RevertReason }[];
  /** Groups whose session key can't be read now. */
  unreadable: { group: BurnGroup; reason: string }[];
};

const BURN_CALL_GAS = 350_000n;
const AUTHORIZATION_GAS = 30_000n;
/** Each round halves a group, so this isolates one bad settlement among tens of thousands. */
const MAX_ISOLATION_ROUNDS = 20;

/**
 * Signs an operation per group, simulates them all on the latest state, and keeps those that pass. A failing group
 * is halved until the bad settlements are isolated; the others stay in the bundle.
 *
 * @throws when the chain does not answer.
 */
export async function assembleBundle(
  options: OnChain & {
    sender: Address;
    groups: BurnGroup[];
    loadSessionKey: (address: Address) => Promise<SessionKey>;
    known: CodeMemory;
  },
): Promise<AssembledBundle> {
  const { client, deployment, sender, loadSessionKey, known } = options;
  const { keys, groups, unreadable } = await loadKeys(options.groups, loadSessionKey);
  const bare = await withoutCode({ client, addresses: [...keys.keys()], known });
  const rejected: AssembledBundle["rejected"] = [];
  let burns = await Promise.all(groups.map((group) => signBurn(deployment, group, keys)));
  let gas = 0n;
  for (let round = 0; burns.length > 0; round += 1) {
    const simulation = await simulateBundle({
      client,
      deployment,
      operations: burns.map(({ operation, hash }) => ({ operation, hash, callGas: BURN_CALL_GAS })),
      sender,
      withoutCode: bare,
    });
    gas = simulation.gasUsed;
    if (simulation.failed.size === 0) {
      const room = fittingCount(burns.length, gasLimit(gas, bare.length));
      if (room === burns.length) break;
      // The rest waits for the next round.
      burns = burns.slice(0, room);
      continue;
    }
    const next: SignedBurn[] = [];
    for (const burn of burns) {
      const reason = simulation.failed.get(burn.hash);
      if (!reason) next.push(burn);
      else if (burn.group.operations.length === 1 || round >= MAX_ISOLATION_ROUNDS)
        rejected.push({ group: burn.group, reason });
      else
        for (const half of splitBurnGroup(burn.group))
          next.push(await signBurn(deployment, half, keys));
    }
    burns = next;
  }
  const used = new Set(burns.map(({ group }) => group.grant.delegate));
  const authorizations: Authorization[] = [];
  for (const address of bare) {
    const sessionKey = keys.get(address);
    if (sessionKey && used.has(address))
      authorizations.push(await authorizeSessionKey({ deployment, sessionKey }));
  }
  const limit = gasLimit(gas, authorizations.length);
  return { burns, authorizations, rejected, unreadable, gas: limit };
}

/** The session keys of groups, and the groups that have one: a key that can't be read sets aside its own burns alone. */
async function loadKeys(
  all: BurnGroup[],
  loadSessionKey: (address: Address) => Promise<SessionKey>,
): Promise<
  { keys: Map<Address, SessionKey>; groups: BurnGroup[] } & Pick<AssembledBundle, "unreadable">
> {
  const keys = new Map<Address, SessionKey>();
  const groups: BurnGroup[] = [];
  const unreadable: AssembledBundle["unreadable"] = [];
  for (const group of all) {
    const { delegate } = group.grant;
    try {
      if (!keys.has(delegate)) keys.set(delegate, await loadSessionKey(delegate));
      groups.push(group);
    } catch (cause) {
      if (!(cause instanceof KeyUnreadable)) throw cause;
      unreadable.push({ group, reason: String(cause) });
    }
  }
  return { keys, groups, unreadable };
}

async function signBurn(
  deployment: Deployment,
  group: BurnGroup,
  keys: Map<Address, SessionKey>,
): Promise<SignedBurn> {
  const sessionKey = keys.get(group.grant.delegate);
  if (!sessionKey) throw new Error(`No session key ${group.grant.delegate}.`);
  // The root names the settlements, so the same settlements can never burn twice under one nonce key.
  const nonceKey = nonceKeyOf(group.root);
  const operation = await signUserOperation({
    deployment,
    grant: group.grant,
    sessionKey,
    calls: [burnCall(deployment, group)],
    nonceKey,
    callGas: BURN_CALL_GAS,
  });
  return { group, operation, nonceKey, hash: userOperationHash(deployment, operation) };
}

/** The simulated gas plus a tenth; the last operation still needs its call's whole limit. */
function gasLimit(used: bigint, authorizations: number): bigint {
  const limit =
    (used * 11n) / 10n + BURN_CALL_GAS + 50_000n + BigInt(authorizations) * AUTHORIZATION_GAS;
  return limit;
}

/** How many operations fit into one transaction, estimated from what all of them would use. */
function fittingCount(count: number, gas: bigint): number {
  if (gas <= MAX_TRANSACTION_GAS || count === 1) return count;
  return Math.max(1, Math.min(count - 1, Number((BigInt(count) * MAX_TRANSACTION_GAS) / gas)));
}
