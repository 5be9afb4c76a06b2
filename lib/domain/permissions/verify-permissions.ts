import type { Verification } from "@turnpike/payments/protocol";
import { verifyExact } from "../exact/exact-permission.ts";
import { verifyTransfer } from "../exact/exact-transfer.ts";
import { isForPlan, readExact } from "../exact/read-exact.ts";
import { readableSum } from "../orders/money.ts";
import type { Verb } from "../verb.ts";
import { perform, type Result } from "./perform.ts";
import { readPermissionRequest } from "./permission-request.ts";
import { describeRefusal, noteRefusal } from "./refusal.ts";

/**
 * Checks a token for a request (§4.1) and burns nothing. With `reserve` the credits are put on hold, so that settling
 * cannot fail with insufficient credits; a repeat with the same `agentRequestId` finds its hold.
 */
export const verifyPermissions: Verb<"verifyPermissions"> = async (context, input) => {
  const request = readPermissionRequest(context.ports.crypto, input);
  const exact = readExact(request.token, request.requirement, context.ports.crypto.digest);
  if (exact) return (isForPlan(exact) ? verifyExact : verifyTransfer)(context, request, exact);
  const result = await perform(context, request.reserve ? "reserve" : "check", request);
  if (result.kind === "allow") return allowed(result, request.agentRequestId);
  if (result.kind === "refused") {
    noteRefusal(context, request, result);
    const { reason, message, ...finer } = describeRefusal(result);
    return {
      isValid: false,
      invalidReason: reason,
      invalidMessage: message,
      ...finer,
      error: reason,
    };
  }
  throw new Error(`Verify can't answer ${result.kind}.`);
};

/** Verify's answer for a request that may pass. */
export function allowed(
  {
    permission,
    needsOrder,
    reservedUntil,
    isRepeat,
  }: Omit<Extract<Result, { kind: "allow" }>, "kind" | "facts">,
  agentRequestId: string,
): Verification {
  const { payer, planId, agentId, scheme, network, amount, balance } = permission;
  return {
    isValid: true,
    payer,
    agentRequestId,
    scheme,
    network,
    planId,
    ...(agentId && { agentId }),
    credits: amount.toString(),
    balance: readableSum(balance).toString(),
    ...(reservedUntil && { reservedUntil: reservedUntil.toISOString() }),
    ...(isRepeat && { isRepeat }),
    ...(needsOrder && { needsOrder }),
    subscriberAddress: payer,
  };
}
