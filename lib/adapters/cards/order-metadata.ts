import type { Environment } from "@turnpike/payments/protocol";
import type { Stripe } from "stripe";
import type { PurchaseFacts } from "@/lib/domain/reconciliation/processor-records.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";

/**
 * What a payment keeps of its order: which one it is, and what a ledger that lost the order needs to write it again. Ids
 * only: the processor's staff and exports read it.
 */
export function orderMetadata(order: OrderRecord, environment: Environment): Stripe.MetadataParam {
  const { delegationId, agentId, idempotencyKey, fingerprint } = order;
  return {
    order_id: order.orderId,
    environment,
    account: order.account,
    plan_id: order.planId,
    plan_version: order.planVersion,
    ...(delegationId && { delegation_id: delegationId }),
    ...(agentId && { agent_id: agentId }),
    ...(idempotencyKey && { idempotency_key: idempotencyKey, fingerprint }),
  };
}

/** The order's facts in a payment's metadata; null for payments of earlier releases, which name the order alone. */
export function readPurchase(metadata: Stripe.Metadata): PurchaseFacts | null {
  const { account, plan_id: planId, plan_version: version } = metadata;
  const planVersion = Number(version);
  if (!account || !planId || !Number.isSafeInteger(planVersion)) return null;
  return {
    account,
    planId,
    planVersion,
    delegationId: metadata.delegation_id ?? null,
    agentId: metadata.agent_id ?? null,
    idempotencyKey: metadata.idempotency_key ?? null,
    fingerprint: metadata.fingerprint ?? "",
  };
}
