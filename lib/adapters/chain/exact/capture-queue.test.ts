import {
  decodeFunctionData,
  type Hex,
  serializeErc6492Signature,
  size,
  slice,
  type TransactionReceipt,
  toHex,
} from "viem";
import { expect, test } from "vitest";
import { capturesAbi } from "../abis.ts";
import type { TransactionRequest } from "../bundler/transaction-sender.ts";
import { createCaptureQueue } from "./capture-queue.ts";
import { transferCalls } from "./transfer-calls.ts";

const SELLER = "0xseller";
const address = (index: number): Hex => toHex(index + 1, { size: 20 });

const captureOf = (index: number, signature: Hex) =>
  transferCalls({
    id: `exact_${index}`,
    payer: address(index),
    asset: address(900),
    payTo: address(901),
    value: 10_000n,
    validAfter: 0n,
    validBefore: 2_000_000_000n,
    nonce: toHex(index, { size: 32 }),
    signature,
  });

/** A queue whose transactions are only written down. Those that `isReverted` names have a receipt that says so. */
function openQueue(isReverted: (request: TransactionRequest) => boolean = () => false) {
  const sent: TransactionRequest[] = [];
  const send = async (request: TransactionRequest) => {
    sent.push(request);
    return { status: isReverted(request) ? "reverted" : "success" } as TransactionReceipt;
  };
  const queue = createCaptureQueue({ sender: { address: address(903), send } }, address(902));
  return { sent, queue };
}

const callsOf = ({ data }: TransactionRequest) =>
  decodeFunctionData({ abi: capturesAbi, data }).args[0];

/** Whether it creates an account: by the factory's call, before the transfer. */
const isCreation = (request: TransactionRequest) =>
  callsOf(request).some(({ target }) => target === address(904));

/** Nodes reject larger transactions (EIP-7825, and 128 KB of Ethereum's transaction pool). */
const MOST_GAS = 2n ** 24n;
const MOST_BYTES = 128 * 1024;

const wallet = toHex(new Uint8Array(65).fill(7));
const created = serializeErc6492Signature({
  address: address(904),
  data: toHex(new Uint8Array(300).fill(7)),
  signature: wallet,
});
const long = toHex(new Uint8Array(4_000).fill(7));

test.each([
  ["signatures of keys", wallet],
  ["signatures that create their account", created],
  ["the longest signatures of smart accounts", long],
])("300 captures at once with %s leave in transactions that a node takes", async (_, signature) => {
  const { sent, queue } = openQueue();
  await Promise.all(
    Array.from({ length: 300 }, (_each, index) => queue.add(SELLER, captureOf(index, signature))),
  );
  const largest = Math.max(...sent.map(({ data }) => size(data)));
  expect(largest).toBeLessThan(MOST_BYTES);
  expect(sent.filter(({ gas }) => gas >= MOST_GAS)).toEqual([]);
});

test("a capture that creates its account shares no transaction, and the others keep theirs", async () => {
  const { sent, queue } = openQueue();
  const signatures = [wallet, wallet, created, wallet, created, created, wallet, wallet];
  await Promise.all(signatures.map((each, index) => queue.add(SELLER, captureOf(index, each))));
  // The first one leaves at once, alone. A creation has two calls: the factory's, and the transfer.
  expect(sent.map((each) => callsOf(each).length)).toEqual([1, 4, 2, 2, 2]);
  expect(sent.map(isCreation)).toEqual([false, false, true, true, true]);
});

/** The payers of each transaction, by their index. */
const payersOf = (request: TransactionRequest) =>
  callsOf(request)
    .filter(({ target }) => target === address(900))
    .map(({ data }) => Number(slice(data, 4, 36)) - 1);

test("captures of one account that each go alone take turns with others, and break up no batch", async () => {
  const { sent, queue } = openQueue();
  const flood = Array.from({ length: 30 }, (_, index) =>
    queue.add("0xflood", captureOf(index, created)),
  );
  const others = Array.from({ length: 60 }, (_, index) =>
    queue.add(SELLER, captureOf(100 + index, wallet)),
  );
  const late = queue.add("0xlate", captureOf(200, created));
  await Promise.all([...flood, ...others, late]);
  const payers = sent.map(payersOf);
  expect(payers[0]).toEqual([0]);
  expect(payers[1]).toHaveLength(60);
  expect(payers.slice(2, 4)).toEqual([[200], [1]]);
  expect(payers).toHaveLength(32);
});

test("a capture shares the next transaction, however many of another account wait", async () => {
  const { sent, queue } = openQueue();
  const flood = Array.from({ length: 300 }, (_, index) =>
    queue.add("0xflood", captureOf(index, wallet)),
  );
  await Promise.all([...flood, queue.add(SELLER, captureOf(500, wallet))]);
  expect(sent.length).toBeGreaterThan(3);
  expect(payersOf(sent[1] as TransactionRequest)).toContain(500);
});

test("a reverted batch says nothing about its captures: each is tried again alone, once", async () => {
  const bad = 2;
  const hasBad = (request: TransactionRequest) =>
    callsOf(request).some(({ data }) => data.slice(0, 74).endsWith(address(bad).slice(2)));
  const { sent, queue } = openQueue(hasBad);
  const receipts = await Promise.all(
    [0, 1, bad, 3].map((index) => queue.add(SELLER, captureOf(index, wallet))),
  );
  expect(receipts.map(({ status }) => status)).toEqual([
    "success",
    "success",
    "reverted",
    "success",
  ]);
  expect(sent.map((each) => callsOf(each).length)).toEqual([1, 3, 1, 1, 1]);
});

test("captures that come while a reverted batch is tried again still share a transaction", async () => {
  let later: Promise<unknown> | undefined;
  const { sent, queue } = openQueue((request) => {
    if (callsOf(request).length !== 3 || later) return false;
    later = Promise.all([5, 6].map((index) => queue.add(SELLER, captureOf(index, wallet))));
    return true;
  });
  await Promise.all([0, 1, 2, 3].map((index) => queue.add(SELLER, captureOf(index, wallet))));
  await later;
  expect(sent.map((each) => callsOf(each).length)).toEqual([1, 3, 1, 1, 1, 2]);
});

test("an account's second capture has its turn, though others send another one as soon as theirs is in a block", async () => {
  let includeBlock = () => {};
  const send = () =>
    new Promise<TransactionReceipt>((resolve) => {
      includeBlock = () => resolve({ status: "success" } as TransactionReceipt);
    });
  const queue = createCaptureQueue({ sender: { address: address(903), send } }, address(902));
  const had = Array.from({ length: 240 }, () => 0);
  for (const index of had.keys()) {
    const sendOn = async (): Promise<void> => {
      await queue.add(`0xother ${index}`, captureOf(index, wallet));
      had[index] = (had[index] ?? 0) + 1;
      await sendOn();
    };
    void sendOn();
  }
  let blocks = 0;
  const both = [300, 301].map((index) => queue.add(SELLER, captureOf(index, wallet)));
  const second = Promise.all(both).then(() => "sent");
  const nextBlock = async () => {
    includeBlock();
    blocks += 1;
    await new Promise(setImmediate);
    return "waiting";
  };
  while ((await Promise.race([second, nextBlock()])) === "waiting" && blocks < 20);
  expect(await Promise.race([second, "waiting"])).toBe("sent");
  expect(Math.max(...had)).toBeLessThanOrEqual(3);
});
