import {
  operations,
  type ParsedInputOf,
  PaymentsError,
  type Settlement,
} from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import { settleTransfer } from "../exact/exact-transfer.ts";
import { isForPlan, readExact } from "../exact/read-exact.ts";
import { settleExact } from "../exact/settle-exact.ts";
import type { Verb } from "../verb.ts";
import { perform, type Result, resourceOf } from "./perform.ts";
import { type PermissionRequest, readPermissionRequest } from "./permission-request.ts";
import { describeRefusal, noteRefusal } from "./refusal.ts";
import { type Settled, settlementOf } from "./settlement.ts";
import { withReceipt } from "./sign-statement.ts";
import { findLeases, settleLeased } from "./unsettled.ts";

/**
 * Burns the credits of a delivered request (§4.1), exactly once per builder and request id: the same body gets the
 * same answer, another body `idempotency_conflict`. Posts the request's hold when it has one, else decides afresh,
 * ordering the plan first when credits are insufficient and the token allows it.
 */
export const settlePermissions: Verb<"settlePermissions"> = async (context, input) => {
  if (input.leaseId !== undefined) {
    return settleLeased(context, input, (await findLeases(context, [input])).get(input.leaseId));
  }
  const request = readPermissionRequest(context.ports.crypto, input);
  const exact = readExact(request.token, request.requirement, context.ports.crypto.digest);
  if (exact) return (isForPlan(exact) ? settleExact : settleTransfer)(context, request, exact);
  const result = await perform(context, "settle", request);
  switch (result.kind) {
    case "refused":
      noteRefusal(context, request, result);
      return refused(result, request);
    case "settled":
    case "replay": {
      const { settled, resource } =
        result.kind === "settled" ? result : await replayed(context, request, result);
      const settlement = await reachOutside(context, result, settled);
      return withReceipt(context.ports, settlement, { resource, settledAt: settled.settledAt });
    }
    default:
      throw new Error(`Settle can't answer ${result.kind}.`);
  }
};

const replayed = async (
  context: Context,
  request: PermissionRequest,
  { settlement, facts }: Extract<Result, { kind: "replay" }>,
): Promise<{ settled: Settled; resource: string | null }> => ({
  settled: { ...settlement, agentRequestId: request.agentRequestId, payer: settlement.account },
  resource: await resourceOf(context, request, facts),
});

/**
 * The answer with how far the settlement came outside: where the plan asks for proof, once it is included; else with
 * the transaction it was submitted in, if that is known quickly. The credits are burned either way.
 */
async function reachOutside(
  { ports }: Context,
  { facts: { plan } }: Result,
  settled: Settled,
): Promise<Settlement> {
  const until = plan?.proofRequired ? "included" : "submitted";
  const isShort =
    settled.chainStatus === "pending" ||
    (settled.chainStatus === "submitted" && until === "included");
  if (!plan || !isShort) return settlementOf(settled);
  const rail = ports.rails.getByPrice(plan.newest.price);
  const state = await rail.mirror?.(settled.settlementId, until);
  return settlementOf({ ...settled, ...state });
}

function refused(
  result: Extract<Result, { kind: "refused" }>,
  { requirement, agentRequestId }: PermissionRequest,
): Settlement {
  const { reason, message, approval: _, ...finer } = describeRefusal(result);
  return {
    success: false,
    errorReason: reason,
    errorMessage: message,
    ...finer,
    transaction: "",
    network: requirement.accepts[0]?.network ?? "",
    agentRequestId,
    error: reason,
  };
}

type Input = ParsedInputOf<"settleBatch">;

/**
 * Settles many requests, each as a single settle of it would be, once per request id: the ledger writes those that are
 * under way together in few transactions. Answers in their order; what would be thrown for one is its failure, with the
 * error's code as its reason, and concerns no other. Throws what is unexpected if it came of all.
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
  const outcomes = await Promise.allSettled(items.map(settle));
  const thrown = outcomes.map((each) => (each.status === "rejected" ? each.reason : null));
  const unexpected = thrown.filter((cause) => cause && !PaymentsError.is(cause));
  if (unexpected.length > 0 && unexpected.length === items.length) throw unexpected[0];
  for (const cause of unexpected)
    context.ports.log.warn({ cause: String(cause) }, "item of a batch not settled");
  return {
    items: outcomes.map((each, index) =>
      each.status === "fulfilled" ? each.value : failureOf(items[index], each.reason),
    ),
  };
}

function failureOf(item: Input["items"][number] | undefined, cause: unknown): Settlement {
  const { code, message } = PaymentsError.is(cause)
    ? cause
    : {
        code: "unavailable",
        message: "This request could not be settled now. Settle it again under the same id.",
      };
  const id = item && "agentRequestId" in item ? item.agentRequestId : undefined;
  return {
    success: false,
    errorReason: code,
    errorMessage: message,
    transaction: "",
    network: "",
    ...(id && { agentRequestId: id }),
    error: code,
  };
}
