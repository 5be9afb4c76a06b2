import { type Hex, keccak256 } from "viem";
import type { Journal, JournalEntry } from "@/lib/adapters/chain/bundler/journal.ts";
import { pollUntil } from "@/lib/adapters/chain/poll.ts";
import { type AnvilRpc, RpcRefusal } from "./anvil-rpc.ts";

const MINED_WITHIN_MS = 30_000;

/**
 * Resends the journal's transactions that the chain lost, in their original order and at their original time, so that
 * hashes, nonces and time limits stay the same. Entries that the loaded state contains are dropped.
 *
 * @returns the number of transactions that were resent.
 * @throws when the chain does not answer. The journal keeps what was not sent, so boot again.
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
  // The loaded state contains everything up to the last known transaction, test money included.
  const first = isKnown.lastIndexOf(true) + 1;
  const lost = entries.slice(first);
  // Read it again: a sender may have written meanwhile.
  journal.rewrite(journal.entries().slice(first));
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
    // Rejected if a block with this timestamp exists; then the chain's own clock is used.
    await rpc("evm_setNextBlockTimestamp", [entry.at]).catch(() => {});
    // A transaction and its replacement share a nonce and do the same, so one of them is refused.
    const accepted = await rpc("eth_sendRawTransaction", [entry.raw]).then(() => true, isRefusal);
    if (accepted) sent += 1;
  }
  // Wait until all that can be are mined, because the state is saved next. A busy machine takes seconds.
  if (sent > 0) await pollUntil(() => isMined(rpc), { timeoutMs: MINED_WITHIN_MS });
  if (sent > 0) await rpc("evm_setTime", [Math.floor(Date.now() / 1000)]).catch(() => {});
  return sent;
}

/** False for an error of the node, which refused the transaction. Throws any other: it may have been accepted. */
function isRefusal(error: unknown): false {
  if (error instanceof RpcRefusal) return false;
  throw error;
}

async function findKnown(rpc: AnvilRpc, entries: JournalEntry[]): Promise<boolean[]> {
  return Promise.all(
    entries.map(async (entry) => {
      if (entry.kind !== "transaction") return false;
      return (await findReceipt(rpc, keccak256(entry.raw))) !== undefined;
    }),
  );
}

/** True once no transaction waits for a block; those behind a gap in the nonces are not counted. */
async function isMined(rpc: AnvilRpc): Promise<true | undefined> {
  const { pending } = await rpc<{ pending: Hex }>("txpool_status", []);
  return BigInt(pending) === 0n || undefined;
}

async function findReceipt(rpc: AnvilRpc, hash: Hex | undefined): Promise<object | undefined> {
  return (await rpc<object | null>("eth_getTransactionReceipt", [hash])) ?? undefined;
}
