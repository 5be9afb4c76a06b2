import { type Address, decodeErrorResult, type Hex, type Log, toHex } from "viem";
import { entryPointAbi } from "../abis.ts";
import type { ChainClient } from "../chain-client.ts";
import type { OnChain } from "../deployment.ts";
import { delegatedCode } from "../grants/session-key.ts";
import type { RevertReason } from "../revert-reason.ts";
import { bundleGas, encodeHandleOps, readOutcomes } from "./handle-ops.ts";
import type { UserOperation } from "./user-operation.ts";

export type SimulatedOperation = { operation: UserOperation; hash: Hex; callGas: bigint };
/** By operation hash. `gasUsed` is what the operations that passed validation would use together. */
export type Simulation = { passed: Set<Hex>; failed: Map<Hex, RevertReason>; gasUsed: bigint };

type CallResult = {
  status: Hex;
  gasUsed: Hex;
  returnData: Hex;
  logs: Log[];
  error?: { message: string; data?: Hex };
};

/**
 * Simulates a bundle on the latest state and returns, by operation hash, which operations would pass and
 * why the others would not. An operation that fails validation would revert the whole bundle, so it is removed and
 * the rest is tried again.
 *
 * @param withoutCode session keys whose authorization travels with the bundle.
 * @throws Error when the chain does not answer.
 */
export async function simulateBundle(
  options: OnChain & { operations: SimulatedOperation[]; sender: Address; withoutCode: Address[] },
): Promise<Simulation> {
  const { client, deployment, sender, withoutCode } = options;
  const failed = new Map<Hex, RevertReason>();
  const passed = new Set<Hex>();
  const stateOverrides = Object.fromEntries(
    withoutCode.map((address) => [address, { code: delegatedCode(deployment) }]),
  );
  let waiting = options.operations;
  while (waiting.length > 0) {
    const call = {
      from: sender,
      to: deployment.entryPoint,
      data: encodeHandleOps(
        waiting.map(({ operation }) => operation),
        sender,
      ),
      gas: toHex(bundleGas(waiting, 0)),
    };
    const result = await simulateCall(client, call, { stateOverrides });
    if (result.status === "0x1") {
      const outcomes = readOutcomes(deployment, result.logs);
      for (const { hash } of waiting) {
        const outcome = outcomes.get(hash);
        if (outcome?.success) passed.add(hash);
        else
          failed.set(
            hash,
            outcome?.reason ?? { name: "NoOutcome", detail: "EntryPoint reported no outcome." },
          );
      }
      return { passed, failed, gasUsed: BigInt(result.gasUsed) };
    }
    const { index, reason } = readFailedOperation(result);
    const bad = waiting[index];
    if (!bad)
      throw new Error(
        `Simulation failed for operation ${index} of ${waiting.length}: ${reason.detail}`,
      );
    failed.set(bad.hash, reason);
    waiting = waiting.filter((operation) => operation !== bad);
  }
  return { passed, failed, gasUsed: 0n };
}

/** What a call would do on the latest state, with other code at some addresses or at another time. Throws when the node does not simulate it. */
export async function simulateCall(
  client: ChainClient,
  call: { from: Address; to: Address; data: Hex; gas: Hex },
  overrides: { stateOverrides?: Record<Address, { code: Hex }>; blockOverrides?: { time: Hex } },
): Promise<CallResult> {
  const request = {
    method: "eth_simulateV1",
    params: [
      {
        blockStateCalls: [{ ...overrides, calls: [call] }],
        traceTransfers: false,
        validation: false,
      },
      "latest",
    ],
  };
  const blocks = (await client.request(request as never)) as unknown as { calls: CallResult[] }[];
  const result = blocks[0]?.calls[0];
  if (!result) throw new Error("The chain returned no result for the simulation.");
  return result;
}

function readFailedOperation(result: CallResult): { index: number; reason: RevertReason } {
  const data = result.returnData !== "0x" ? result.returnData : result.error?.data;
  if (!data || data === "0x")
    throw new Error(`The bundle's simulation failed: ${result.error?.message ?? "no reason"}`);
  const { errorName, args } = decodeErrorResult({ abi: entryPointAbi, data });
  if (errorName !== "FailedOp" && errorName !== "FailedOpWithRevert") {
    throw new Error(`The bundle's simulation failed: ${errorName}`);
  }
  const [index, message] = args;
  const code = message.slice(0, 4);
  // AA25 is "invalid account nonce": this very operation has been included before.
  const name =
    code === "AA25" ? "AlreadyIncluded" : code === "AA24" ? "InvalidSignature" : "ValidationFailed";
  return { index: Number(index), reason: { name, detail: message } };
}
