import { type Hex, keccak256 } from "viem";
import type { Journal, JournalEntry } from "@/lib/adapters/chain/bundler/journal.ts";
import { pollUntil } from "@/lib/adapters/chain/poll.ts";
import type { AnvilRpc } from "./anvil-rpc.ts";

const MINED_WITHIN_MS = 2_000;

/**
 * Sends again what the journal holds and the chain has lost, in the order and at the time it was first sent, so that
 * hashes, nonces and time limits come out as before. Entries the loaded state already contains are forgotten.
 *
 * @returns how many transactions were sent again.
 */
export async function replayJournal({
  rpc,
  journal,
}: {
  rpc: AnvilRpc;
  journal: Journal;
}): Promise<number> {
  const entries = journal.entries();
  if (entries.length === 0) return 0;
  const isKnown = await findKnown(rpc, entries);
  // Everything up to the last known transaction is in the loaded state, gifts of test money included.
  const first = isKnown.lastIndexOf(true) + 1;
  const lost = entries.slice(first);
  // Read again: a sender may have written to it while we asked.
  journal.rewrite(journal.entries().slice(first));
  const refused = new Set(
    entries.flatMap((entry) => (entry.kind === "refused" ? [entry.hash] : [])),
  );
  let sent = 0;
  let latest: Hex | undefined;
  for (const entry of lost) {
    if (entry.kind === "fund") {
      await rpc("anvil_setBalance", [entry.address, `0x${BigInt(entry.wei).toString(16)}`]);
      continue;
    }
    if (entry.kind === "refused" || refused.has(keccak256(entry.raw))) continue;
    // Refused when a block of this second is there already: then the chain's own clock will do.
    await rpc("evm_setNextBlockTimestamp", [entry.at]).catch(() => {});
    // Of a transaction and its replacement, only one can have a nonce; both do the same.
    const accepted = await rpc("eth_sendRawTransaction", [entry.raw]).then(
      () => true,
      () => false,
    );
    if (!accepted) continue;
    sent += 1;
    latest = keccak256(entry.raw);
  }
  // Accepted is not yet mined; what is saved now must have it all.
  if (latest) await pollUntil(() => findReceipt(rpc, latest), { timeoutMs: MINED_WITHIN_MS });
  if (sent > 0) await rpc("evm_setTime", [Math.floor(Date.now() / 1000)]).catch(() => {});
  return sent;
}

async function findKnown(rpc: AnvilRpc, entries: JournalEntry[]): Promise<boolean[]> {
  return Promise.all(
    entries.map(async (entry) => {
      if (entry.kind !== "transaction") return false;
      return (await findReceipt(rpc, keccak256(entry.raw))) !== undefined;
    }),
  );
}

async function findReceipt(rpc: AnvilRpc, hash: Hex | undefined): Promise<object | undefined> {
  return (await rpc<object | null>("eth_getTransactionReceipt", [hash])) ?? undefined;
}
