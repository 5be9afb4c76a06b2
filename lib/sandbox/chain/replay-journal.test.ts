import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hex } from "viem";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Journal, openJournal } from "@/lib/adapters/chain/bundler/journal.ts";
import { type AnvilRpc, RpcRefusal } from "./anvil-rpc.ts";
import { replayJournal } from "./replay-journal.ts";

const RAW: Hex[] = ["0x01", "0x02", "0x03"];
let folder: string;
let journal: Journal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-replay-"));
  journal = openJournal(join(folder, "journal.jsonl"));
  for (const raw of RAW) journal.transaction(raw);
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A chain that lost all transactions; `send` answers when they are sent again. */
const chainOf =
  (send: (raw: string) => void): AnvilRpc =>
  async (method, [raw]) => {
    if (method === "eth_getTransactionReceipt") return null as never;
    if (method === "eth_sendRawTransaction") send(String(raw));
    return { pending: "0x0" } as never;
  };

test("a transaction that the chain rejects is passed over, and those after it are sent", async () => {
  const sent: string[] = [];
  const rpc = chainOf((raw) => {
    if (raw === RAW[1]) throw new RpcRefusal("eth_sendRawTransaction: nonce too low");
    sent.push(raw);
  });
  expect(await replayJournal({ rpc, journal })).toBe(2);
  expect(sent).toEqual([RAW[0], RAW[2]]);
});

test("a chain that does not answer has rejected nothing: the replay fails, and the next one sends everything", async () => {
  const broken = chainOf((raw) => {
    if (raw === RAW[1]) throw new TypeError("fetch failed");
  });
  await expect(replayJournal({ rpc: broken, journal })).rejects.toThrow("fetch failed");
  const sent: string[] = [];
  const rpc = chainOf((raw) => sent.push(raw));
  expect(await replayJournal({ rpc, journal })).toBe(3);
  expect(sent).toEqual(RAW);
});
