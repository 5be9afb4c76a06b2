import { encodeFunctionData, type TransactionReceipt, zeroAddress } from "viem";
import type { ExactPayment } from "@/lib/domain/exact/exact-ports.ts";
import { capturesAbi } from "../abis.ts";
import type { Operator } from "../operator.ts";
import { transferCalls } from "./transfer-calls.ts";

export type Capture = ExactPayment;

/** A block takes more; a batch that is too long would only delay its first captures. */
const MAX_BATCH = 200;
const BASE_GAS = 60_000n;
/** Calldata and loop of one call. */
const CALL_GAS = 15_000n;

/**
 * Sends captures in batches: each round takes what waited while the one before it was under way. `add` resolves once the
 * batch is in a block, with its receipt, whatever became of the capture in it, and throws when that is unknown.
 */
export function createCaptureQueue({ deployment, sender }: Operator) {
  type Waiting = {
    capture: Capture;
    resolve: (receipt: TransactionReceipt) => void;
    reject: (cause: unknown) => void;
  };
  const waiting: Waiting[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH);
      const calls = batch.flatMap(({ capture }) => transferCalls(capture));
      const gas = calls.reduce((sum, call) => sum + (call.gas * 65n) / 64n + CALL_GAS, BASE_GAS);
      try {
        const receipt = await sender.send({
          to: deployment.captures ?? zeroAddress,
          data: encodeFunctionData({ abi: capturesAbi, functionName: "run", args: [calls] }),
          gas,
        });
        for (const { resolve } of batch) resolve(receipt);
      } catch (cause) {
        for (const { reject } of batch) reject(cause);
      }
    }
    isRunning = false;
  }

  return {
    add: (capture: Capture) =>
      new Promise<TransactionReceipt>((resolve, reject) => {
        waiting.push({ capture, resolve, reject });
        if (!isRunning) void run();
      }),
  };
}
