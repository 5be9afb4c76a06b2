import { randomUUID } from "node:crypto";
import type { TransactionReceipt } from "viem";
import type { Bundle, SettlementUpdate } from "@/lib/domain/chain-ports.ts";
import { nonceKeyOf } from "../grants/session-key.ts";
import { type CodeMemory, prepareAccounts } from "../prepare-accounts.ts";
import type { RevertReason } from "../revert-reason.ts";
import { type AssembledBundle, assembleBundle } from "./assemble-bundle.ts";
import type { BundlerSettings } from "./bundler-options.ts";
import { type BurnGroup, groupBurns } from "./burn-groups.ts";
import { findOperation } from "./find-operation.ts";
import { encodeHandleOps } from "./handle-ops.ts";
import { type BundleRecovery, storeForm } from "./recover-bundles.ts";
import { putOff } from "./resolve-bundle.ts";
import { rejectedUpdates, setAside, toBundledBurn } from "./settlement-updates.ts";
import { TransactionRefused, TransactionUnknown } from "./transaction-sender.ts";

/** What one round needs. `known` remembers between rounds which accounts have code. */
type RoundContext = BundlerSettings & {
  lease: { lane: string; owner: string; ttlMs: number };
  recovery: BundleRecovery;
  known: CodeMemory;
};

export type RoundReport = {
  settlements: number;
  operations: number;
  included: number;
  rejected: number;
  gasUsed: bigint;
};

const ESTIMATED_BURN_GAS = 180_000n;

/**
 * Takes the settlements that are due, groups them, signs, simulates, drops what would fail, stores the bundle, sends it
 * and waits for its receipt. `undefined` when there is nothing to do or another replica holds the lease.
 */
export async function runRound(
  context: RoundContext,
  signal: AbortSignal,
): Promise<RoundReport | undefined> {
  const { store, lease, recovery } = context;
  if (!(await store.takeLease(lease))) return undefined;
  if (!(await recovery.resolveOpen(signal))) return undefined;
  const groups = await takeGroups(context);
  if (groups.length === 0) return undefined;
  const { client, deployment, sender, loadSessionKey, known } = context;
  const accounts = groups.map(({ account }) => account);
  await prepareAccounts({ client, deployment, sender, accounts, known });
  const assembled = await assembleBundle({
    client,
    deployment,
    sender: sender.address,
    groups,
    loadSessionKey,
    known,
  });
  const rejected = await rejectGroups(context, assembled.rejected);
  await setAsideGroups(context, assembled.unreadable);
  const operations = assembled.burns.length;
  const report = { settlements: 0, operations, included: 0, rejected, gasUsed: 0n };
  return operations === 0
    ? report
    : { ...report, ...(await sendBundle(context, assembled, signal)) };
}

/** The groups that are due and within their account's gas budget. The others are postponed. */
async function takeGroups(context: RoundContext): Promise<BurnGroup[]> {
  const { store, lease, now, gasBudget, isGrouped, maxSettlements, maxOperations } = context;
  const { lane } = lease;
  const pending = await store.listPending({ lane, now: now(), limit: maxSettlements });
  const groups = groupBurns(pending, isGrouped).slice(0, maxOperations);
  if (!gasBudget) return groups;
  const over: BurnGroup[] = [];
  const within = groups.filter((group) => {
    const isWithin = gasBudget.spend(group.account.address, ESTIMATED_BURN_GAS);
    if (!isWithin) over.push(group);
    return isWithin;
  });
  const renewsAt = now() + gasBudget.renewsInMs();
  const updates = over.flatMap(({ operations }) =>
    operations.map(({ settlementId }) => putOff(settlementId, "GasBudget", renewsAt)),
  );
  if (updates.length > 0) await store.updateSettlements(updates);
  context.announce(updates);
  return within;
}

/** Postpones the groups whose key can't be read. */
async function setAsideGroups(
  { store, announce, now }: RoundContext,
  unreadable: AssembledBundle["unreadable"],
): Promise<void> {
  const updates = unreadable.flatMap(({ group, reason }) =>
    group.operations.map(({ settlementId }) => setAside({ settlementId, reason }, now())),
  );
  if (updates.length > 0) await store.updateSettlements(updates);
  announce(updates);
}

/** Stores what the chain would reject; returns how many settlements that is. */
async function rejectGroups(
  context: RoundContext,
  rejected: AssembledBundle["rejected"],
): Promise<number> {
  const updates: SettlementUpdate[] = [];
  for (const { group, reason } of rejected) {
    updates.push(...(await updatesOfRejected(context, group, reason)));
  }
  if (updates.length > 0) {
    await context.store.updateSettlements(updates);
    context.announce(updates);
  }
  return updates.length;
}

/**
 * A rejected group failed, unless the chain included it earlier without the store knowing.
 *
 * @throws while the node that answers is behind that block: until it shows the operation, its outcome is unknown, and a group
 * that is put off would burn under another nonce.
 */
async function updatesOfRejected(
  { client, deployment, sinceBlock, now }: RoundContext,
  group: BurnGroup,
  reason: RevertReason,
): Promise<SettlementUpdate[]> {
  if (reason.name !== "AlreadyIncluded") return rejectedUpdates(group, reason, now());
  const sessionKey = group.grant.delegate;
  const nonceKey = nonceKeyOf(group.root);
  const found = await findOperation({ client, deployment, sessionKey, nonceKey, sinceBlock });
  if (!found) throw new Error(`The node does not show operation ${nonceKey}, which is included.`);
  const { transaction } = found;
  return group.settlements.map(({ settlementId, proof }): SettlementUpdate => {
    if (found.success) {
      return { settlementId, status: "included", transaction, root: group.root, proof };
    }
    return { settlementId, status: "failed", transaction, reason: found.reason.detail };
  });
}

/** Sends one bundle. An unknown outcome keeps it open for recovery; one that can never be included is due again. */
async function sendBundle(
  context: RoundContext,
  assembled: AssembledBundle,
  signal: AbortSignal,
): Promise<Partial<RoundReport>> {
  const { recovery, onTrouble, lease } = context;
  const burns = assembled.burns.map(toBundledBurn);
  const bundle: Bundle = { id: randomUUID(), lane: lease.lane, burns, transactions: [] };
  const settlements = burns.flatMap((burn) => burn.settlements).length;
  try {
    const { gasUsed } = await sendOperations(context, { assembled, bundle, signal });
    const updates = (await recovery.close(bundle)) ?? [];
    const included = updates.filter(({ status }) => status === "included").length;
    return { settlements, included, gasUsed };
  } catch (error) {
    if (error instanceof TransactionUnknown) {
      onTrouble(error);
      return { settlements };
    }
    if (error instanceof TransactionRefused && bundle.transactions.length > 0) {
      // An earlier form of it may have been included, and its receipt may have come late.
      const updates = await recovery.close(bundle);
      const { hash: refused } = error;
      if (!updates) await recovery.putBackLost(bundle, { reason: "TransactionRefused", refused });
    }
    throw error;
  }
}

function sendOperations(
  context: RoundContext,
  {
    assembled,
    bundle,
    signal,
  }: { assembled: AssembledBundle; bundle: Bundle; signal: AbortSignal },
): Promise<TransactionReceipt> {
  const { sender, deployment } = context;
  const operations = assembled.burns.map(({ operation }) => operation);
  return sender.send({
    to: deployment.entryPoint,
    data: encodeHandleOps(operations, sender.address),
    gas: assembled.gas,
    authorizations: assembled.authorizations,
    signal,
    beforeSend: storeForm(context, bundle),
  });
}
