import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keccak256, parseEther, TransactionReceiptNotFoundError } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type EmbeddedChain, startEmbeddedChain } from "@/lib/sandbox/chain/embedded-chain.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { type ChainClient, createChainClient } from "../chain-client.ts";
import { pollUntil } from "../poll.ts";
import { testKey } from "../testing/chain-fixture.ts";
import {
  createTransactionSender,
  type SignedTransaction,
  TransactionRefused,
  TransactionUnknown,
} from "./transaction-sender.ts";

const settler = privateKeyToAccount(testKey("settler"));
const friend = privateKeyToAccount(testKey("friend")).address;
const payment = { to: friend, data: "0x", gas: 21_000n, value: 1n } as const;
let dataDir: string;
let chain: EmbeddedChain;
let client: ChainClient;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "turnpike-sender-"));
  chain = await startEmbeddedChain({ dataDir });
  client = createChainClient({ rpcUrl: chain.rpcUrl, chainId: chain.chainId });
  await chain.fund(settler.address, parseEther("10"));
});
afterAll(async () => {
  await chain.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
const anvil = (method: string, params: unknown[]) => client.request({ method, params } as never);

test("concurrent transactions are sent one after another, each journaled first", async () => {
  const sender = createTransactionSender({ client, settler, journal: chain.journal });
  const receipts = await Promise.all(Array.from({ length: 10 }, () => sender.send(payment)));
  const journaled = chain.journal
    .entries()
    .flatMap((entry) => (entry.kind === "transaction" ? [keccak256(entry.raw)] : []));
  expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(journaled);
  expect(await client.getBalance({ address: friend })).toBe(10n);
});

test("a transaction that is not included in time is replaced under its nonce, and only one of them counts", async () => {
  const before = await client.getBalance({ address: friend });
  const signed: SignedTransaction[] = [];
  const sender = createTransactionSender({ client, settler, replaceAfterMs: 300 });
  await anvil("evm_setAutomine", [false]);
  const sending = sender.send({
    ...payment,
    beforeSend: (transaction) => void signed.push(transaction),
  });
  while (signed.length < 2) await sleep(20);
  await anvil("evm_setAutomine", [true]);
  await anvil("anvil_mine", ["0x1"]);
  const receipt = await sending;
  expect(new Set(signed.map(({ nonce }) => nonce)).size).toBe(1);
  expect(signed.map(({ hash }) => hash)).toContain(receipt.transactionHash);
  expect((await client.getBalance({ address: friend })) - before).toBe(1n);
});

test("a fee above the cap is refused, and nothing is sent", async () => {
  const before = chain.journal.entries().length;
  const sender = createTransactionSender({
    client,
    settler,
    journal: chain.journal,
    maxFeePerGasCap: 1n,
  });
  await expect(sender.send(payment)).rejects.toThrow(TransactionRefused);
  expect(chain.journal.entries().length).toBe(before);
});

test("a key without money is refused by the chain, and the journal says so", async () => {
  const poor = privateKeyToAccount(testKey("poor"));
  const sender = createTransactionSender({ client, settler: poor, journal: chain.journal });
  await expect(sender.send(payment)).rejects.toThrow(TransactionRefused);
  expect(chain.journal.entries().at(-1)?.kind).toBe("refused");
});

longTest(
  "a chain that answers nothing about a taken nonce leaves the outcome unknown, and nothing is sent twice",
  async () => {
    const before = await client.getBalance({ address: friend });
    let isDown = false;
    // The chain takes the transaction, and goes away before it says so.
    const failing: ChainClient = {
      ...client,
      sendRawTransaction: async (form) => {
        if (isDown) throw new Error("nonce too low");
        isDown = true;
        await client.sendRawTransaction(form);
        throw new TypeError("fetch failed");
      },
      getTransactionReceipt: () => Promise.reject(new TypeError("fetch failed")),
    };
    const signed: SignedTransaction[] = [];
    const sender = createTransactionSender({ client: failing, settler });
    const sending = sender.send({
      ...payment,
      beforeSend: (transaction) => void signed.push(transaction),
    });
    await expect(sending).rejects.toThrow(TransactionUnknown);
    expect(signed).toHaveLength(1);
    expect((await client.getBalance({ address: friend })) - before).toBe(1n);
  },
);

longTest(
  "receipts from a node that is behind are waited for, and nothing is sent twice",
  async () => {
    const before = await client.getBalance({ address: friend });
    const start = performance.now();
    const behind: ChainClient = {
      ...client,
      getTransactionReceipt: async (of) => {
        if (performance.now() - start < 1_500) throw new TransactionReceiptNotFoundError(of);
        return client.getTransactionReceipt(of);
      },
    };
    const { status } = await createTransactionSender({ client: behind, settler }).send(payment);
    expect(status).toBe("success");
    expect((await client.getBalance({ address: friend })) - before).toBe(1n);
  },
);

test("no receipt for a nonce that an accepted transaction took is an unknown outcome", async () => {
  const before = await client.getBalance({ address: friend });
  const blind: ChainClient = {
    ...client,
    getTransactionReceipt: async (of) => {
      throw new TransactionReceiptNotFoundError(of);
    },
  };
  const sender = createTransactionSender({
    client: blind,
    settler,
    journal: chain.journal,
    replaceAfterMs: 300,
  });
  await expect(sender.send(payment)).rejects.toThrow(TransactionUnknown);
  expect(chain.journal.entries().at(-1)?.kind).not.toBe("refused");
  expect((await client.getBalance({ address: friend })) - before).toBe(1n);
});

test.each([
  ["at once", 0],
  ["only after a higher fee was offered", 2],
])(
  "a nonce is left to the other sender of the same key whose transaction is included %s, and no form for it is replayed",
  async (_, refusals) => {
    const { length } = chain.journal.entries();
    const before = await client.getBalance({ address: friend });
    const nonce = await client.getTransactionCount({ address: settler.address });
    await anvil("evm_setAutomine", [false]);
    const other = await settler.signTransaction({
      ...{ chainId: chain.chainId, nonce, to: friend, value: 5n, gas: 21_000n, type: "eip1559" },
      ...{ maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 10n },
    });
    let isFirst = true;
    let left = refusals;
    // Both ask for the next nonce before either sends.
    const late: ChainClient = {
      ...client,
      getTransactionCount: async (of) => {
        const next = await client.getTransactionCount(of);
        if (isFirst) await client.sendRawTransaction({ serializedTransaction: other });
        isFirst = false;
        return next;
      },
      sendRawTransaction: async (form) => {
        try {
          return await client.sendRawTransaction(form);
        } finally {
          left -= 1;
          if (left < 0) {
            await anvil("evm_setAutomine", [true]);
            await anvil("anvil_mine", ["0x1"]);
          }
        }
      },
    };
    const { journal } = chain;
    const sender = createTransactionSender({ client: late, settler, journal, replaceAfterMs: 200 });
    const { status, transactionHash } = await sender.send(payment);
    expect(status).toBe("success");
    expect((await client.getBalance({ address: friend })) - before).toBe(6n);
    const entries = journal.entries().slice(length);
    const sent = entries.flatMap((entry) => (entry.kind === "transaction" ? entry.raw : []));
    const refused = entries.flatMap((entry) => (entry.kind === "refused" ? entry.hash : []));
    expect(new Set([...refused, transactionHash])).toEqual(
      new Set(sent.map((raw) => keccak256(raw))),
    );
  },
);

test("no answer after sending is an unknown outcome, not a failure", async () => {
  const stop = new AbortController();
  const sender = createTransactionSender({ client, settler });
  await anvil("evm_setAutomine", [false]);
  const sending = sender.send({ ...payment, signal: stop.signal });
  stop.abort();
  const error = await sending.catch((reason: unknown) => reason);
  await anvil("evm_setAutomine", [true]);
  await anvil("anvil_mine", ["0x1"]);
  expect(error).toBeInstanceOf(TransactionUnknown);
  const { hash } = error as TransactionUnknown;
  expect((await client.getTransactionReceipt({ hash })).status).toBe("success");
});

test("a clock that is set back keeps no one waiting longer", async () => {
  const start = performance.now();
  let wall = Date.now();
  // An hour back with each look.
  vi.spyOn(Date, "now").mockImplementation(() => {
    wall -= 3_600_000;
    return wall;
  });
  const ask = vi.fn(async () => (performance.now() - start > 3_000 ? "too late" : undefined));
  expect(await pollUntil(ask, { timeoutMs: 50 })).toBeUndefined();
  vi.restoreAllMocks();
});
