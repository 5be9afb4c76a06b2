import type { Phase, RequestEvent } from "../gate/observe.ts";
import type { Attributes } from "./otel-types.ts";

/** The attributes of a request's three spans, under the keys of §6; unknown ones are left out. */
export function spanMetadata(event: RequestEvent): Attributes {
  const { planIds, planId, verify, settle } = event;
  const settled = settle?.settlement.success ? settle.settlement : undefined;
  return given({
    "svc.plan_ids": planId === undefined ? [...planIds] : [planId],
    "svc.scheme": event.scheme,
    "svc.network": event.network,
    "svc.agent_id": event.agentId,
    "svc.agent_request_id": event.agentRequestId,
    "svc.payer": event.payer,
    "svc.credits_redeemed": settled?.creditsRedeemed,
    "svc.balance.after": settled?.remainingBalance,
    "svc.tx_hash": settled?.txHash || undefined,
    "svc.payment_token": event.paymentToken,
    "svc.verify.duration_ms": verify && rounded(verify),
    "svc.settle.duration_ms": settle && rounded(settle),
  });
}

export const given = (attributes: Record<string, Attributes[string] | undefined>): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined),
  ) as Attributes;

const rounded = ({ durationMs }: Phase) => Math.round(durationMs * 100) / 100;
