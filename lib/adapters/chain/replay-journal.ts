import { keccak256 } from "viem";
import type { AnvilRpc } from "./anvil-rpc.ts";
import type { Journal, JournalEntry } from "./journal.ts";

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
  const lost = entries.slice(isKnown.lastIndexOf(true) + 1);
  journal.rewrite(lost);
  const refused = new Set(
    entries.flatMap((entry) => (entry.kind === "refused" ? [entry.hash] : [])),
  );
  let sent = 0;
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
    if (accepted) sent += 1;
  }
  if (sent > 0) await rpc("evm_setTime", [Math.floor(Date.now() / 1000)]).catch(() => {});
  return sent;
}

async function findKnown(rpc: AnvilRpc, entries: JournalEntry[]): Promise<boolean[]> {
  return Promise.all(
    entries.map(async (entry) => {
      if (entry.kind !== "transaction") return false;
      return (await rpc("eth_getTransactionReceipt", [keccak256(entry.raw)])) !== null;
    }),
  );
}
