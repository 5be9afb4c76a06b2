import {
  operations,
  type ParsedInputOf,
  PaymentsError,
  type Settlement,
} from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import { settlePermissions } from "./settle-permissions.ts";
import { findLeases, settleLeased } from "./unsettled.ts";

type Input = ParsedInputOf<"settleBatch">;

/**
 * Settles many requests, each as a single settle of it would be, once per request id: the ledger writes those that are
 * under way together in few transactions. Answers in their order; what would be thrown for one is its failure, with the
 * error's code as its reason, and concerns no other.
 */
export async function settleBatch(
  context: Context,
  batch: Input,
): Promise<{ items: Settlement[] }> {
  // The client names them in the same way, so a batch is charged once by either.
  const { items } = operations.settleBatch.args(batch);
  const leased = items.filter((item) => item.leaseId !== undefined);
  const leases = await findLeases(context, leased);
  const settle = (item: Input["items"][number]) =>
    item.leaseId !== undefined
      ? settleLeased(context, item, leases.get(item.leaseId))
      : settlePermissions(context, item);
  const settled = items.map((item) => settle(item).catch(asFailure(item)));
  return { items: await Promise.all(settled) };
}

const asFailure =
  (item: Input["items"][number]) =>
  (cause: unknown): Settlement => {
    if (!PaymentsError.is(cause)) throw cause;
    const { code, message } = cause;
    const id = "agentRequestId" in item ? item.agentRequestId : undefined;
    return {
      success: false,
      errorReason: code,
      errorMessage: message,
      transaction: "",
      network: "",
      ...(id && { agentRequestId: id }),
      error: code,
    };
  };
