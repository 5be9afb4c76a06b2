import { type Address, encodeFunctionData, size, type TransactionReceipt } from "viem";
import { capturesAbi } from "../abis.ts";
import type { Operator } from "../operator.ts";
import type { TransferCall } from "./transfer-calls.ts";

/**
 * What a batch may use: nodes refuse transactions over 2^24 gas (EIP-7825) or 128 KB, and a refused one would take every
 * capture in it along.
 */
const MAX_GAS = 16_000_000n;
const MAX_BYTES = 100_000;
const BASE_GAS = 60_000n;
/** Calldata and loop of one call. */
const CALL_GAS = 15_000n;
/** Target, gas and lengths of one call, and what fills up its last word. */
const CALL_BYTES = 192;

/** The payer chooses the first call of a creation, and it could use up the gas of the calls after it. */
const isCreation = (calls: TransferCall[]) => calls.length > 1;

const sizeOf = (calls: TransferCall[]) => ({
  calls,
  isAlone: isCreation(calls),
  gas: calls.reduce((sum, { gas }) => sum + (gas * 65n) / 64n + CALL_GAS, 0n),
  bytes: calls.reduce((sum, { data }) => sum + size(data) + CALL_BYTES, 0),
});

/** The transaction that makes the calls of a batch. */
const transactionOf = (captures: Address, batch: ReturnType<typeof sizeOf>[]) => ({
  to: captures,
  data: encodeFunctionData({
    abi: capturesAbi,
    functionName: "run",
    args: [batch.flatMap(({ calls }) => calls)],
  }),
  gas: batch.reduce((sum, { gas }) => sum + gas, BASE_GAS),
});

/** The transaction of a capture that leaves alone. */
export const captureAlone = (captures: Address, calls: TransferCall[]) =>
  transactionOf(captures, [sizeOf(calls)]);

/** Those of the captures, in their order, that fit into one transaction; the first always does. */
function fitting<Sized extends { gas: bigint; bytes: number }>(waiting: readonly Sized[]): Sized[] {
  let gas = BASE_GAS;
  let bytes = 0;
  const end = waiting.findIndex((each) => {
    gas += each.gas;
    bytes += each.bytes;
    return gas > MAX_GAS || bytes > MAX_BYTES;
  });
  return waiting.slice(0, end === -1 ? waiting.length : Math.max(end, 1));
}

/**
 * Sends captures in batches: each round takes what waited while the one before it was under way. Accounts take turns,
 * counted in gas: an account's next capture waits until every other that waits has had as much. `add` resolves once the batch that `captures` runs is
 * in a block, with its receipt, whatever became of the capture in it, and throws when that is unknown. A batch that reverts
 * says nothing about one of its captures, so each is sent again alone.
 */
export function createCaptureQueue({ sender }: Pick<Operator, "sender">, captures: Address) {
  type Waiting = ReturnType<typeof sizeOf> & {
    account: string;
    turn: bigint;
    resolve: (receipt: TransactionReceipt) => void;
    reject: (cause: unknown) => void;
  };
  /** In the order of their turns. */
  let waiting: Waiting[] = [];
  /** When accounts whose captures were sent are due again, of those that are not yet. */
  const next = new Map<string, bigint>();
  let turn = 0n;
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    for (let [first] = waiting; first; [first] = waiting) {
      turn = first.turn;
      for (const [account, due] of next) if (due <= turn) next.delete(account);
      // Captures that go alone do not break up the batches of others.
      const batch = first.isAlone ? [first] : fitting(waiting.filter(({ isAlone }) => !isAlone));
      waiting = waiting.filter((each) => !batch.includes(each));
      for (const { account, gas } of batch) next.set(account, turn + gas);
      try {
        const receipt = await sender.send(transactionOf(captures, batch));
        if (receipt.status === "reverted" && batch.length > 1) {
          waiting.unshift(...batch.map((each) => ({ ...each, turn, isAlone: true })));
          continue;
        }
        for (const { resolve } of batch) resolve(receipt);
      } catch (cause) {
        for (const { reject } of batch) reject(cause);
      }
    }
    next.clear();
    isRunning = false;
  }

  function enter(entry: Omit<Waiting, "turn">): void {
    const before = waiting.findLast(({ account }) => account === entry.account);
    const own = before ? before.turn + before.gas : (next.get(entry.account) ?? turn);
    const at = waiting.findIndex((each) => each.turn > own);
    waiting.splice(at === -1 ? waiting.length : at, 0, { ...entry, turn: own });
  }

  return {
    add: (account: string, calls: TransferCall[]) =>
      new Promise<TransactionReceipt>((resolve, reject) => {
        enter({ ...sizeOf(calls), account, resolve, reject });
        if (!isRunning) void run();
      }),
  };
}
