import { type Hex, serializeErc6492Signature, size, type TransactionReceipt, toHex } from "viem";
import { expect, test } from "vitest";
import type { ExactPayment } from "@/lib/domain/exact/exact-ports.ts";
import type { TransactionRequest } from "../bundler/transaction-sender.ts";
import type { Deployment } from "../deployment.ts";
import type { Operator } from "../operator.ts";
import { createCaptureQueue } from "./capture-queue.ts";

const address = (index: number): Hex => toHex(index + 1, { size: 20 });

const paymentOf = (index: number, signature: Hex): ExactPayment => ({
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

/** A queue whose transactions are only written down. */
function openQueue() {
  const sent: TransactionRequest[] = [];
  const send = async (request: TransactionRequest) => {
    sent.push(request);
    return {} as TransactionReceipt;
  };
  const deployment = { captures: address(902) } as Deployment;
  const operator = { deployment, sender: { address: address(903), send } } as unknown as Operator;
  return { sent, queue: createCaptureQueue(operator) };
}

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
    Array.from({ length: 300 }, (_each, index) => queue.add(paymentOf(index, signature))),
  );
  const largest = Math.max(...sent.map(({ data }) => size(data)));
  expect(largest).toBeLessThan(MOST_BYTES);
  expect(sent.filter(({ gas }) => gas >= MOST_GAS)).toEqual([]);
});
