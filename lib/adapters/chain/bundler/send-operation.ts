import type { Address, Hex } from "viem";
import type { Authorization } from "../grants/session-key.ts";
import type { Operator } from "../operator.ts";
import type { RevertReason } from "../revert-reason.ts";
import { bundleGas, encodeHandleOps, readOutcomes } from "./handle-ops.ts";
import { simulateBundle } from "./simulate-bundle.ts";
import type { TransactionRequest } from "./transaction-sender.ts";
import { type UserOperation, userOperationHash } from "./user-operation.ts";

/**
 * Simulates one operation, sends it and waits: the transaction that included it, or why it was not. `AlreadyIncluded` and
 * `BundleReverted` may mean that another attempt at it came first.
 *
 * @throws when the outcome is unknown.
 */
export async function sendOperation(
  { client, deployment, sender }: Operator,
  options: {
    operation: UserOperation;
    callGas: bigint;
    /** Session keys without code, and what gives it to them. */
    withoutCode?: Address[];
    authorizations?: Authorization[];
    beforeSend?: TransactionRequest["beforeSend"];
  },
): Promise<{ transaction: Hex; hash: Hex } | { reason: RevertReason }> {
  const { operation, callGas, withoutCode = [], authorizations = [], beforeSend } = options;
  const hash = userOperationHash(deployment, operation);
  const simulation = await simulateBundle({
    client,
    deployment,
    operations: [{ operation, hash, callGas }],
    sender: sender.address,
    withoutCode,
  });
  const objection = simulation.failed.get(hash);
  if (objection) return { reason: objection };
  const receipt = await sender.send({
    to: deployment.entryPoint,
    data: encodeHandleOps([operation], sender.address),
    gas: bundleGas([{ callGas }], authorizations.length),
    authorizations,
    ...(beforeSend && { beforeSend }),
  });
  const outcome = readOutcomes(deployment, receipt.logs).get(hash);
  if (outcome?.success) return { transaction: receipt.transactionHash, hash };
  const reverted = { name: "BundleReverted", detail: "The transaction reverted." };
  return { reason: outcome?.reason ?? reverted };
}
