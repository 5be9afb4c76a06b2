import type { Address, Hex } from "viem";
import { z } from "zod";
import { openJsonLines } from "./json-lines.ts";

const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((value) => value as Hex);

/**
 * One line of the journal: a signed transaction, the hash of one the chain refused permanently, or test money given to an
 * address. `at` is in Unix seconds.
 */
export const JournalEntry = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("transaction"), at: z.number().int(), raw: hex }),
  z.object({ kind: z.literal("refused"), at: z.number().int(), hash: hex }),
  z.object({
    kind: z.literal("fund"),
    at: z.number().int(),
    address: hex,
    wei: z.string().regex(/^\d+$/),
  }),
]);
export type JournalEntry = z.infer<typeof JournalEntry>;

/** Append-only record of everything that was sent to a chain, written before it is sent. */
export type Journal = ReturnType<typeof openJournal>;

/**
 * Opens the journal at `path`, creating it if needed.
 *
 * @example const journal = openJournal(join(dataDir, "journal.jsonl"));
 */
export function openJournal(path: string, now: () => number = Date.now) {
  const lines = openJsonLines(path);
  const append = (entry: JournalEntry) => lines.append(entry);
  const at = () => Math.floor(now() / 1000);
  return {
    transaction: (raw: Hex) => append({ kind: "transaction", at: at(), raw }),
    /** The chain rejected a transaction in a way that rules out its inclusion. */
    refused: (hash: Hex) => append({ kind: "refused", at: at(), hash }),
    fund: (address: Address, wei: bigint) =>
      append({ kind: "fund", at: at(), address, wei: wei.toString() }),
    entries: (): JournalEntry[] => lines.read().map((entry) => JournalEntry.parse(entry)),
    /** Replaces the content with `entries`, atomically. */
    rewrite: (entries: JournalEntry[]) => lines.rewrite(entries),
    close: lines.close,
  };
}
